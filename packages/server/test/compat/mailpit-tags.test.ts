import { join } from 'node:path'
import { MailpitClient } from 'mailpit-api'
import { expect, onTestFinished, test } from 'vitest'
import { createSearch } from '../../src/compat/mailpit/search.ts'
import { parseQuery } from '../../src/compat/mailpit/query.ts'
import { fromShortId } from '../../src/compat/short-id.ts'
import { inGroups } from '../../src/domain/in-groups.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { boundDatabase } from '../support/bound-database.ts'
import { startServer } from '../support/server.ts'

async function start(mails: { to: string; headers?: Record<string, string> }[]) {
  const server = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const open = new MailpitClient(server.compatUrl)
  for (const [index, mail] of mails.entries()) {
    await server.sendMail({ subject: `Number ${index}`, ...mail })
    await open.waitForMessages({ count: index + 1 })
  }
  const ids = (await open.listMessages()).messages.map(({ ID }) => ID).toReversed()
  return { ...server, open, ids }
}

/** What each place shows of the tags: the messages, oldest first, the list, and the counts. */
async function shown(client: MailpitClient) {
  const { messages, tags } = await client.listMessages()
  const byMessage = messages.map(({ Tags }) => Tags).toReversed()
  const whole = await inGroups(messages.toReversed(), 1, async ({ ID }) => (await client.getMessageSummary(ID)).Tags)
  expect(whole).toEqual(byMessage)
  const counts = (await client.getInfo()).Tags
  const names = await client.getTags()
  expect(new Set(names)).toEqual(new Set(Object.keys(counts)))
  expect(tags).toEqual(names)
  return { byMessage, names, counts }
}

test.each(['on its port', 'below our API, with a key'])('a suite sets, renames and deletes tags %s', async (where) => {
  const mails = [
    { to: 'anna+42@shop.example' },
    { to: 'ben@shop.example', headers: { 'X-Tags': 'Red, blue' } },
    { to: 'carla@shop.example' },
  ]
  const { open, ids, url, apiKey } = await start(mails)
  const auth = { username: 'ci', password: apiKey }
  const client = where === 'on its port' ? open : new MailpitClient(`${url}/compat/mailpit/`, { auth })
  const found = async (query: string) =>
    (await client.searchMessages({ query })).messages.map(({ ID }) => ids.indexOf(ID)).sort()
  const [one, two, three] = ids as [string, string, string]

  const given = ['  Grüße!!  x ', 'zeta', 'ZETA', '', 'Alpha', '***']
  expect(await client.setTags({ IDs: [one, three], Tags: given })).toBe('ok')
  const cleaned = ['Alpha', 'Gr e x', 'zeta']
  expect(await shown(client)).toEqual({
    byMessage: [cleaned, ['blue', 'Red'], cleaned],
    names: ['Alpha', 'blue', 'Gr e x', 'Red', 'zeta'],
    counts: { Alpha: 2, blue: 1, 'Gr e x': 2, Red: 1, zeta: 2 },
  })
  expect(await found('tag:ZETA')).toEqual([0, 2])
  expect(await found('tag:"Gr e x"')).toEqual([0, 2])
  expect(await found('tag:42')).toEqual([])
  expect(await found('!tag:alpha')).toEqual([1])

  expect(await client.setTags({ IDs: [three], Tags: [] })).toBe('ok')
  expect([await found('is:tagged'), await found('-is:tagged')]).toEqual([[0, 1], [2]])
  expect(await client.setTags({ IDs: [one], Tags: ['x'.repeat(150)] })).toBe('ok')
  expect((await shown(client)).byMessage[0]).toEqual(['x'.repeat(100)])

  await client.setTags({ IDs: [one, three], Tags: ['RED', 'last'] })
  expect((await shown(client)).counts).toEqual({ blue: 1, last: 2, Red: 3 })
  await client.setTags({ IDs: [three], Tags: ['LAST', 'red'] })
  expect((await shown(client)).byMessage[2]).toEqual(['last', 'Red'])
  expect(await client.renameTag('red', ' o/m  e+g ')).toBe('ok')
  expect((await shown(client)).byMessage).toEqual([
    ['last', 'o m e g'],
    ['blue', 'o m e g'],
    ['last', 'o m e g'],
  ])
  expect(await client.renameTag('o m e g', 'Omega')).toBe('ok')
  expect(await client.renameTag('OMEGA', 'omega')).toBe('ok')
  expect((await shown(client)).names).toEqual(['blue', 'last', 'omega'])
  expect(await client.deleteTag('LAST')).toBe('ok')
  expect((await shown(client)).byMessage).toEqual([['omega'], ['blue', 'omega'], ['omega']])

  await client.deleteMessages({ IDs: [two] })
  expect((await shown(client)).counts).toEqual({ omega: 2 })
  for (const [problem, call] of [
    ['not found', () => client.renameTag('last', 'else')],
    ['not found', () => client.deleteTag('last')],
    ['invalid tag name', () => client.renameTag('omega', ' !! ')],
  ] as const) {
    await expect(call()).rejects.toThrow(problem)
  }
  await client.setTags({ IDs: [one], Tags: ['other'] })
  await expect(client.renameTag('other', 'OMEGA')).rejects.toThrow('already exists')
  expect((await shown(client)).byMessage).toEqual([['other'], ['omega']])
})

test('the address, its tag and waits for it stay as they are', async () => {
  const { open, ids, sdk, sendMail } = await start([{ to: 'anna+42@mailhatch.test' }])
  await open.setTags({ IDs: ids, Tags: ['other'] })
  expect((await sdk.messages.list({ tag: '42' })).data).toMatchObject([{ tag: '42', to: 'anna+42@mailhatch.test' }])
  expect((await sdk.messages.list({ tag: 'other' })).data).toEqual([])
  await open.deleteTag('other')
  await sendMail({ to: 'anna+42@mailhatch.test', subject: 'Later' })
  await open.waitForMessages({ count: 2 })
  expect((await shown(open)).byMessage).toEqual([[], ['42']])
})

test('what cannot be read, too many tags and unknown ids change nothing', async () => {
  const { open, compatUrl, ids } = await start([{ to: 'anna+42@shop.example' }])
  const ask = async (body: string, path = '/api/v1/tags') => {
    const response = await fetch(compatUrl + path, { method: 'PUT', body })
    return `${response.status} ${await response.text()}`
  }
  const many = Array.from({ length: 101 }, (_, index) => `tag ${index}`)
  expect(await ask('')).toBe('400 The body is empty.')
  expect(await ask('{"IDs": [')).toMatch(/^400 The body is not JSON/)
  expect(await ask(`{"IDs":"x"}`)).toMatch(/^400 The body is not valid: ids/)
  const long = Array.from({ length: 21 }, (_, index) => String(index).padStart(100, 'x'))
  for (const Tags of [many, long]) {
    expect(await ask(JSON.stringify({ IDs: ids, Tags }))).toMatch(/^400 A message has at most 100 tags, with 2000 char/)
  }
  expect(await ask('{"IDs":["0000000000000000000000","x"],"Tags":["ghost"]}')).toBe('200 ok')
  expect(await ask('{"Tags":["ghost"]}')).toBe('200 ok')
  expect(await ask('', '/api/v1/tags/42')).toBe('400 The body is empty.')
  expect(await ask('{}', '/api/v1/tags/42')).toMatch(/^400 invalid tag name/)
  expect(await shown(open)).toEqual({ byMessage: [['42']], names: ['42'], counts: { 42: 1 } })
})

test('many messages are tagged, and a tag of many is renamed and deleted, also while others set tags', async () => {
  const count = 250
  const { open, sendMail, ids } = await start([{ to: 'first@shop.example' }])
  const numbers = Array.from({ length: count }, (_, index) => index)
  await inGroups(numbers, 25, (number) => sendMail({ to: `user-${number}+old@shop.example` }))
  await expect.poll(async () => (await open.listMessages()).total, { timeout: 60_000 }).toBe(count + 1)
  const all = (await open.listMessages(0, 1_000)).messages.map(({ ID }) => ID).filter((id) => id !== ids[0])
  let isOver = false
  const others = (async () => {
    for (let number = 0; !isOver; number++) await open.setTags({ IDs: [ids[0]!], Tags: [`number ${number % 3}`] })
  })()
  expect(await open.renameTag('old', 'new')).toBe('ok')
  expect((await open.getInfo()).Tags).toMatchObject({ new: count })
  expect(await open.deleteTag('NEW')).toBe('ok')
  isOver = true
  await others
  expect(await open.setTags({ IDs: ids, Tags: [] })).toBe('ok')
  expect(await open.getTags()).toEqual([])
  expect(await open.setTags({ IDs: all, Tags: ['a', 'b'] })).toBe('ok')
  expect((await open.getInfo()).Tags).toEqual({ a: count, b: count })
})

test('tags that another process sets are seen by the next call', async () => {
  const { open, ids, dataDir, sdk } = await start([{ to: 'anna+42@shop.example' }, { to: 'ben@shop.example' }])
  const database = openSqliteDatabase(join(dataDir, 'mailhatch.db'))
  const store = createSqlStore(boundDatabase(database), { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const search = createSearch(store)
  const { team } = await sdk.me()
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  const counts = async () => Object.fromEntries(await search.countTags(view))
  expect([await counts(), await open.getTags()]).toEqual([{ 42: 1 }, ['42']])

  await open.setTags({ IDs: [ids[1]!], Tags: ['ours'] })
  expect(await counts()).toEqual({ 42: 1, ours: 1 })
  expect(await search.all(view, parseQuery('tag:ours', null))).toMatchObject([
    { copies: [{ id: fromShortId(ids[1]!) }] },
  ])
  const anchor = await store.findAnchor(view, fromShortId(ids[0]!)!)
  await store.setTags(team.id, [{ position: anchor!.position, tags: ['theirs'] }], null)
  expect((await shown(open)).byMessage).toEqual([['theirs'], ['ours']])
  expect((await open.searchMessages({ query: 'tag:theirs' })).messages).toHaveLength(1)
  await open.deleteMessages({ IDs: [ids[1]!] })
  expect(await counts()).toEqual({ theirs: 1 })
})
