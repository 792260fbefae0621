import type { Rejection } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../src/program/open-store.ts'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { TestClient } from '../src/worker/smtp/test-kit.ts'
import { announcement, post } from './support/announce.ts'
import { ask, reader } from './support/ask.ts'
import { startFileServer } from './support/file-server.ts'
import { withDatabase } from './support/journey-database.ts'

type Listed = { data: Rejection[] }

const server = await startFileServer({ SMTP_ALLOWED_DOMAINS: 'mailhatch.test,checkout.test,in.mailhatch.test' })
const { url, apiKey } = server
await server.command('teams', 'create', 'Checkout', '--domain', 'checkout.test', '--plan', 'pro')
const other = await server.command<{ key: string }>('keys', 'create', '--team', 'Checkout')

const list = async (key: string, query = ''): Promise<Rejection[]> => {
  const { status, body } = await ask<Listed>(`${url}/v1/rejections${query}`, { key })
  expect(status).toBe(200)
  return body.data
}

test('a key that may only read mail does not see rejections', async () => {
  const { key } = await server.command<{ key: string }>('keys', 'create', '--team', 'Checkout', '--scope', 'email.full')
  const { status, body } = await ask<{ code: string }>(`${url}/v1/rejections`, { key })
  expect([status, body.code]).toEqual([403, 'forbidden'])
  expect(await list(other.key)).toEqual([])
})

test('mail for an unknown mailbox or domain is listed with the reason, newest first', async () => {
  const from = 'app@shop.example'
  await post(url, announcement({ domain: 'in.mailhatch.test', mailbox: 'typo', from }))
  await post(url, announcement({ domain: 'nobody.test', mailbox: 'orders', from }))
  await expect
    .poll(() => list(apiKey))
    .toEqual([
      {
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        from,
        to: 'orders@nobody.test',
        code: 'inbox_domain_unknown',
        reason: 'Inbox domain not configured',
      },
      {
        at: expect.any(String),
        from,
        to: 'typo@in.mailhatch.test',
        code: 'mailbox_unknown',
        reason: 'Mailbox not configured',
      },
    ])
  expect(await list(apiKey, '?limit=1')).toHaveLength(1)
  expect(await list(apiKey, `?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([])
  // Neither domain belongs to the other team.
  expect(await list(other.key)).toEqual([])
})

test('mail that SMTP rejects is listed for the team that has the domain, and for the bootstrap team', async () => {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  onTestFinished(() => transport.close())
  for (const to of ['+nobody@checkout.test', 'x@elsewhere.test']) {
    const refused = transport.sendMail({ envelope: { from: 'app@shop.example', to: [to] }, text: 'Hello' })
    await expect(refused).rejects.toMatchObject({ responseCode: 550 })
  }
  await expect.poll(() => list(other.key)).toMatchObject([{ to: '+nobody@checkout.test', code: '550' }])
  await expect
    .poll(async () => (await list(apiKey)).map(({ to }) => to))
    .toEqual(expect.arrayContaining(['x@elsewhere.test', '+nobody@checkout.test']))
})

test('mail that SMTP rejects before a recipient is named is listed only for the bootstrap team', async () => {
  const client = await TestClient.connectWithHello(server.smtpPort)
  expect(await client.say('MAIL FROM:<large@shop.example> SIZE=99000000')).toMatch(/^552 /)
  const before = { from: 'large@shop.example', to: '', code: '552' }
  await expect.poll(() => list(apiKey)).toEqual(expect.arrayContaining([expect.objectContaining(before)]))
  expect(await list(other.key)).not.toEqual(expect.arrayContaining([expect.objectContaining(before)]))
})

test('limit: the last 1,000 rejections of a team are kept', async () => {
  const { id } = (await reader(url, other.key).me()).team
  const config = readConfig('api', await withDatabase({ DATA_DIR: server.dataDir }))
  const store = await openStore(config, createLogger('silent', false))
  const rejection = { domain: 'checkout.test', at: 5, from: '', to: 'a@checkout.test', code: '550', reason: '' }
  const many = (count: number, reason: string) => Array.from({ length: count }, () => ({ ...rejection, reason }))
  await store.addRejections(many(999, 'old'))
  await store.addRejections(many(2, 'new'))
  const kept = await store.listRejections(id, { since: 0, limit: 5_000 })
  await store.close()
  expect(kept).toHaveLength(1_000)
  expect(kept.filter(({ reason }) => reason === 'new')).toHaveLength(2)
})

// The client ends each command with a line break, which belongs to the chunk here.
test.each(['DATA', 'BDAT 7 LAST\r\nHello'])(
  'a mail whose only recipient is refused is listed once, even if the client goes on with %j',
  async (command) => {
    const from = `twice-${command.slice(0, 4).toLowerCase()}@shop.example`
    const client = await TestClient.connectWithHello(server.smtpPort)
    expect(await client.say(`MAIL FROM:<${from}>`)).toMatch(/^250 /)
    expect(await client.say('RCPT TO:<+nobody@mailhatch.test>')).toMatch(/^550 /)
    expect(await client.say(command)).toMatch(/^554 /)
    // Control: without a refused recipient, the same reply is reported.
    expect(await client.say('RSET')).toMatch(/^250 /)
    expect(await client.say(`MAIL FROM:<${from}>`)).toMatch(/^250 /)
    expect(await client.say(command)).toMatch(/^554 /)
    const ours = async () => (await list(apiKey)).filter((rejection) => rejection.from === from).map(({ code }) => code)
    await expect.poll(ours).toEqual(['554', '550'])
  },
)
