import { describe, expect, test } from 'vitest'
import { startTestServer, TestClient } from './test-kit.ts'

const credentials = { user: 'tester', password: 'pässword' }

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

async function startWithClient(expected: typeof credentials | null = credentials) {
  const started = await startTestServer({ credentials: expected })
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

async function converse(client: TestClient, lines: string[]): Promise<string[]> {
  const replies: string[] = []
  for (const line of lines) replies.push((await client.say(line)).slice(0, 9).trimEnd())
  return replies
}

const plain = base64(`\0${credentials.user}\0${credentials.password}`)
const user = base64(credentials.user)
const password = base64(credentials.password)

describe('right credentials', () => {
  test.each<[string, string[], string[]]>([
    ['PLAIN with an initial response', [`AUTH PLAIN ${plain}`], ['235 2.7.0']],
    ['PLAIN without one', ['AUTH PLAIN', plain], ['334', '235 2.7.0']],
    ['PLAIN with an identity to act as', [`auth plain ${base64(`x\0tester\0pässword`)}`], ['235 2.7.0']],
    ['LOGIN without an initial response', ['AUTH LOGIN', user, password], ['334 VXNlc', '334 UGFzc', '235 2.7.0']],
    ['LOGIN with one', [`AUTH LOGIN ${user}`, password], ['334 UGFzc', '235 2.7.0']],
  ])('%s', async (_name, lines, replies) => {
    const { client, mails } = await startWithClient()
    expect(await client.say('MAIL FROM:<>')).toMatch(/^530 5\.7\.0 /)
    expect(await converse(client, lines)).toEqual(replies)
    expect(await client.say(`AUTH PLAIN ${plain}`)).toMatch(/^503 5\.5\.1 /)
    expect(await client.deliver('text')).toBe('250 2.0.0 Stored\r\n')
    expect(mails).toMatchObject([{ username: 'tester' }])
  })
})

describe('wrong credentials', () => {
  test.each<[string, string[], string[]]>([
    ['a wrong password', [`AUTH PLAIN ${base64('\0tester\0wrong')}`], ['535 5.7.8']],
    ['a wrong user', [`AUTH PLAIN ${base64('\0other\0pässword')}`], ['535 5.7.8']],
    ['a wrong LOGIN', [`AUTH LOGIN ${user}`, base64('wrong')], ['334 UGFzc', '535 5.7.8']],
    ['a cancelled PLAIN', ['AUTH PLAIN', '*'], ['334', '501 5.7.0']],
    ['a cancelled LOGIN', [`AUTH LOGIN ${user}`, '*'], ['334 UGFzc', '501 5.7.0']],
    ['no base64', ['AUTH PLAIN !!!!'], ['501 5.5.2']],
    ['base64 of the wrong length', ['AUTH PLAIN abc'], ['501 5.5.2']],
    ['an empty initial response', ['AUTH PLAIN ='], ['501 5.5.2']],
    ['PLAIN with too few parts', [`AUTH PLAIN ${base64('tester\0pässword')}`], ['501 5.5.2']],
    ['PLAIN with too many parts', [`AUTH PLAIN ${base64('\0tester\0pässword\0')}`], ['501 5.5.2']],
    ['a mechanism that is unknown', ['AUTH CRAM-MD5'], ['504 5.5.4']],
    ['no mechanism', ['AUTH'], ['504 5.5.4']],
    ['a response with a control character', ['AUTH PLAIN', 'a\0b'], ['334', '500 5.5.2']],
  ])('%s', async (_name, lines, replies) => {
    const { client } = await startWithClient()
    expect(await converse(client, lines)).toEqual(replies)
    expect(await client.say('MAIL FROM:<>')).toMatch(/^530 5\.7\.0 /)
    expect(await client.say(`AUTH PLAIN ${plain}`)).toMatch(/^235 /)
    expect(await client.deliver('text')).toBe('250 2.0.0 Stored\r\n')
  })
})

test('wrong credentials are reported, and too many of them close the connection', async () => {
  const { client, refusals } = await startWithClient()
  const wrong = `AUTH PLAIN ${base64('\0tester\0wrong')}`
  for (let count = 1; count <= 20; count++) expect(await client.say(wrong)).toMatch(/^535 /)
  expect(await client.say(wrong)).toMatch(/^421 4\.7\.0 /)
  expect(refusals).toHaveLength(21)
  expect(JSON.stringify(refusals)).not.toContain('tester')
})

test('without configured credentials, any are accepted and none are required', async () => {
  const { client, mails } = await startWithClient(null)
  expect(await client.deliver('without')).toMatch(/^250 /)
  expect(await client.say(`AUTH PLAIN ${base64('\0anyone\0anything')}`)).toMatch(/^235 /)
  expect(await client.deliver('with')).toMatch(/^250 /)
  expect(mails.map(({ username }) => username)).toEqual([null, 'anyone'])
})

test('a name that is the password, as some clients send a token, is not kept', async () => {
  const { client, mails } = await startWithClient(null)
  expect(await client.say(`AUTH PLAIN ${base64('\0token\0token')}`)).toMatch(/^235 /)
  expect(await client.deliver('text')).toMatch(/^250 /)
  expect(mails).toMatchObject([{ username: '' }])
})

test('AUTH needs EHLO first and no mail in progress', async () => {
  const { client, connect } = await startWithClient(null)
  expect(await (await connect()).say('AUTH PLAIN')).toMatch(/^503 5\.5\.1 /)
  await client.say('MAIL FROM:<>')
  expect(await client.say('AUTH PLAIN')).toMatch(/^503 5\.5\.1 /)
})
