import { accept, cutDuring, delay, Mailhatch, reject } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { makeTeam, makeTeamKey } from './support/made-team.ts'
import { startServer } from './support/server.ts'

const DAY_MS = 86_400_000

async function start(environment: Record<string, string> = {}, now?: () => number) {
  const server = await startServer(environment, now)
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort, socketTimeout: 500 })
  /** True if the mail was accepted. */
  const send = (to: string | string[]) =>
    transport.sendMail({ from: 'app@shop.test', to, subject: 'Hello', text: 'Hello' }).then(
      ({ rejected }) => rejected.length === 0,
      () => false,
    )
  return { ...server, send }
}

test('every try is in the ledger at once, in order of time, with what the sender saw', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  await inbox.script([reject(451).times(2), cutDuring('data'), delay('60s'), accept()])
  const other = await sdk.addresses.create()
  const seen = async () =>
    (await inbox.attempts()).map(({ outcome, stage, replies }) => [outcome, stage, replies.at(-1)?.code ?? 'no reply'])
  const expected = [
    ['refused', 'rcpt', 451],
    ['refused', 'rcpt', 451],
    ['cut', 'data', 250],
    ['closed', 'rcpt', 'no reply'],
    ['accepted', 'after-data', 250],
  ]
  for (const count of [1, 2, 3]) {
    await send(inbox.address)
    expect(await seen()).toEqual(expected.slice(0, count))
  }
  await send(inbox.address)
  // The server learns a moment later that a client has gone.
  await expect.poll(seen).toEqual(expected.slice(0, 4))
  await send(inbox.address)
  expect(await seen()).toEqual(expected)
  const attempts = await inbox.attempts()
  expect(attempts).toHaveLength(5)
  const starts = attempts.map(({ startedAt }) => startedAt)
  expect(starts).toEqual(starts.toSorted())
  const mail = await inbox.waitFor()
  expect(attempts.map(({ messageId }) => messageId)).toEqual([null, null, null, null, mail.id])
  expect(await other.attempts()).toEqual([])
})

test('attempts are listed by address, tag and mailbox, in pages, and what is not valid is refused', async () => {
  const { sdk, send } = await start()
  const { team } = await sdk.me()
  await sdk.mailboxes.create('orders')
  const [one, two] = [`orders+one@${team.domain}`, `orders+two@${team.domain}`]
  for (const to of [one, two, one]) await send(to)
  await send('unknown@elsewhere.example')
  const tags = async (query: object) => (await sdk.attempts.list(query)).data.map(({ to }) => /\+(\w+)@/.exec(to)![1])
  expect(await tags({})).toEqual(['one', 'two', 'one'])
  expect(await tags({ to: 'orders' })).toEqual(['one', 'two', 'one'])
  expect(await tags({ to: 'ORDERS+one' })).toEqual(['one', 'one'])
  expect(await tags({ to: two })).toEqual(['two'])
  expect(await tags({ to: 'qa' })).toEqual([])
  const first = await sdk.attempts.list({ limit: 2 })
  expect([first.data.length, first.has_more]).toEqual([2, true])
  const rest = await sdk.attempts.list({ limit: 2, after_id: first.data[1]!.id })
  expect([rest.data.length, rest.has_more]).toEqual([1, false])
  expect(await tags({ after: (await sdk.me()).cursor })).toEqual(['one', 'two', 'one'])
  const all: string[] = []
  for await (const { to } of sdk.attempts.list({ to: 'orders', limit: 1 })) all.push(to)
  expect(all).toEqual([one, two, one])
  const newer = `${first.data[1]!.id.slice(0, -2)}63`
  for (const after_id of ['0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24', newer, `${newer.slice(0, -2)}ff`]) {
    await expect(sdk.attempts.list({ after_id })).rejects.toMatchObject({ status: 400, code: 'cursor_not_found' })
  }
  await expect(sdk.attempts.list({ after: 'c9999999' })).rejects.toMatchObject({
    status: 400,
    code: 'cursor_not_found',
  })
  // As a program without types may pass them.
  const list = (query: object) => sdk.attempts.list(query)
  await expect(list({ mailbox: 'orders+one' })).rejects.toThrow('mailbox cannot be used here; use `to`')
  await expect(list({ tag: 'one' })).rejects.toThrow('tag cannot be used here; use `to`')
  await expect(list({ recipient: one })).rejects.toThrow(
    'There is no query parameter recipient. The parameters are to, after, limit, after_id.',
  )
  await expect(list({ limt: 1 })).rejects.toMatchObject({ status: 400, code: 'unknown_parameter' })
  for (const query of [{ to: 'a b c' }, { limit: 0 }, { after_id: 'x' }, { after: 'x' }]) {
    await expect(sdk.attempts.list(query)).rejects.toMatchObject({ status: 400, code: 'validation_failed' })
  }
})

test('a team sees only its own attempts, and a key of a mailbox only those of the mailbox', async () => {
  const { sdk, url, send, dataDir } = await start()
  const { team } = await sdk.me()
  await sdk.mailboxes.create('mine')
  await sdk.mailboxes.create('theirs')
  const environment = { DATA_DIR: dataDir }
  const foreign = await makeTeam(environment, { name: 'Foreign', domain: 'foreign.test', plan: 'enterprise' })
  const bound = await makeTeamKey(environment, team.name, { mailbox: 'mine' })
  // One mail for recipients of both teams.
  await send([`mine@${team.domain}`, 'mine@foreign.test', `theirs@${team.domain}`])
  const seenBy = async (apiKey: string, query = {}) =>
    (await new Mailhatch({ url, apiKey }).attempts.list(query)).data.map(({ to }) => to).toSorted()
  expect((await sdk.attempts.list()).data.map(({ to }) => to).toSorted()).toEqual([
    `mine@${team.domain}`,
    `theirs@${team.domain}`,
  ])
  expect(await seenBy(foreign)).toEqual(['mine@foreign.test'])
  expect(await seenBy(foreign, { to: `mine@${team.domain}` })).toEqual([])
  expect(await seenBy(bound)).toEqual([`mine@${team.domain}`])
  await expect(seenBy(bound, { to: 'theirs' })).rejects.toMatchObject({ status: 403 })

  // Another mailbox that gets the name later has not received this mail.
  const mine = (await sdk.mailboxes.list()).find(({ name }) => name === 'mine')!
  await sdk.mailboxes.rename(mine.id, 'former')
  await sdk.mailboxes.create('mine')
  expect(await seenBy(await makeTeamKey(environment, team.name, { mailbox: 'mine' }))).toEqual([])
})

test('after a cursor, older attempts are left out', async () => {
  let aheadMs = 0
  const { sdk, send } = await start({}, () => Date.now() + aheadMs)
  const [old, recent] = [await sdk.addresses.create({ mailbox: 'qa' }), await sdk.addresses.create({ mailbox: 'qa' })]
  await send(old.address)
  await old.waitFor()
  const before = (await sdk.me()).cursor
  expect(await old.attempts()).toHaveLength(1)
  aheadMs = 120_000
  await send(recent.address)
  await recent.waitFor()
  const after = (await sdk.me()).cursor
  const listed = async (cursor: string) =>
    (await sdk.attempts.list({ to: 'qa', after: cursor })).data.map(({ to }) => to)
  expect(await listed(before)).toEqual([recent.address, old.address])
  expect(await listed(after)).toEqual([recent.address])
  expect(await listed('c0')).toEqual([recent.address, old.address])
})

test('attempts are kept for a day', async () => {
  let aheadMs = 0
  const { sdk, send } = await start({}, () => Date.now() + aheadMs)
  const inbox = await sdk.addresses.create()
  await send(inbox.address)
  expect(await inbox.attempts()).toHaveLength(1)
  aheadMs = DAY_MS - 60_000
  expect(await inbox.attempts()).toHaveLength(1)
  aheadMs = DAY_MS + 60_000
  expect(await inbox.attempts()).toEqual([])
})

test('the error of a wait says what was tried', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  await inbox.script([reject(451).times(2), delay('60s')])
  for (let mail = 0; mail < 3; mail++) await send(inbox.address)
  await expect.poll(async () => (await inbox.attempts()).length).toBe(3)
  const text = `What was tried with ${inbox.address}: 3 tries, refused 451, 451, then the connection was closed by the client.`
  await expect(inbox.waitFor({}, { timeout: 1 })).rejects.toThrow(text)
  const waiting = sdk.messages.waitFor({ mailbox: inbox.address }, { timeout: 1 })
  await expect(waiting).rejects.toMatchObject({ code: 'message_timeout', message: expect.stringContaining(text) })
  // Mail that arrived is described as such.
  const plain = await sdk.addresses.create()
  await send(plain.address)
  await plain.waitFor()
  await expect(plain.waitFor({}, { timeout: 1 })).rejects.not.toThrow('What was tried')
})

test('a wait times out as usual if the attempts cannot be read', async () => {
  const { url, apiKey } = await start()
  const sdk = new Mailhatch({
    url,
    apiKey,
    // The SDK passes it as text.
    fetch: (asked, init) =>
      (asked as string).includes('/v1/attempts') ? Promise.reject(new TypeError('no network')) : fetch(asked, init),
  })
  const inbox = await sdk.addresses.create()
  await expect(inbox.attempts()).rejects.toThrow('no network')
  await expect(inbox.waitFor({}, { timeout: 1 })).rejects.toMatchObject({ code: 'message_timeout', attempts: [] })
})
