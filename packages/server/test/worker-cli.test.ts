import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startWorker } from '../src/program/node.ts'
import { refuseStaying } from './support/admin-contract.ts'
import { ADMIN_TOKEN, askAdmin, type MailboxList, type MessageList } from './support/admin-subject.ts'
import { startDouble } from './support/json-double.ts'
import { runToExit } from './support/in-process.ts'
import { runForJson } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

/** A worker with two messages, one of which the API refused, and the settings for it. */
async function start() {
  const api = await startDouble(refuseStaying)
  const provider = await startDouble(() => ({ status: 200, body: { success: true, errors: [], result: {} } }))
  const config = readConfig('worker', {
    DATA_DIR: temporaryFolder(),
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    DISK_FREE_MIN: '0',
    ADMIN_TOKEN,
    EMAIL_DOMAIN: 'in.test',
    EMAIL_WORKER_NAME: 'mailhatch-worker',
    CLOUDFLARE_ZONE_ID: 'zone',
    CLOUDFLARE_API_TOKEN: 'provider-token',
    CLOUDFLARE_API_URL: provider.url,
    WEBHOOK_URL: `${api.url}/webhooks/inbox`,
    WEBHOOK_AUTH_TOKEN: 'webhook-token',
  })
  const worker = await startWorker(config, createLogger('silent', false))
  onTestFinished(async () => {
    await worker.close()
    await api.close()
    await provider.close()
  })
  const client = await SmtpClient.connect(worker.smtpPort!)
  for (const to of ['done@in.test', 'stay@team.in.test']) {
    await client.send({ to, raw: Buffer.from(`Subject: to ${to}\r\n\r\nhello\r\n`) })
  }
  const settings = { WORKER_URL: `http://127.0.0.1:${worker.workerPort}`, ADMIN_TOKEN }
  const list = async <Listed>(path: string) =>
    (await askAdmin<Listed>(`${settings.WORKER_URL}/admin/inboxes${path}`)).body
  await vi.waitFor(async () => {
    expect((await list<MailboxList>('?status=processed')).mailboxes).toEqual(['in.test/done'])
    expect((await list<MessageList>('/stay/messages?domain=team')).messages).toMatchObject([{ attempts: 1 }])
  })
  return { api, provider, settings }
}

describe('mailhatch worker <command>', () => {
  test('inboxes and messages show the worker’s content', async () => {
    const { settings } = await start()
    const inboxes = await runForJson<MailboxList>(['worker', 'inboxes'], settings)
    expect(inboxes.mailboxes).toEqual(['in.test/done', 'team.in.test/stay'])
    const waiting = await runForJson<MailboxList>(['worker', 'inboxes', '--status', 'unprocessed'], settings)
    expect(waiting.mailboxes).toEqual(['team.in.test/stay'])
    const byLabel = ['worker', 'messages', 'stay', '--domain', 'team', '--limit', '1']
    const { messages } = await runForJson<MessageList>(byLabel, settings)
    expect(messages.map(({ subject }) => subject)).toEqual(['to stay@team.in.test'])
  })

  test('retry: one, then all', async () => {
    const { api, settings } = await start()
    const all = await runToExit(['worker', 'retry'], settings)
    expect([all.code, JSON.parse(all.stdout)]).toEqual([1, { retried: 1, processed: 0, failed: 1 }])
    const { messages } = await runForJson<MessageList>(['worker', 'messages', 'stay@team.in.test'], settings)
    const one = ['worker', 'retry', 'stay@team.in.test', messages[0]!.id]
    const refused = await runToExit(one, settings)
    expect(refused.code).toBe(1)
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'announcement_failed' } })
    api.say = () => ({ status: 200, body: {} })
    expect(await runForJson(one, settings)).toEqual({ ok: true, status: 'processed' })
    expect(await runForJson(['worker', 'retry'], settings)).toEqual({ retried: 0, processed: 0, failed: 0 })
  })

  test('bootstrap: records, subdomain, catch-all; a dry run only prints the steps', async () => {
    const { provider, settings } = await start()
    const words = ['worker', 'bootstrap', '--domain', 'in.test', '--subdomain', 'team']
    const dry = await runForJson<{ steps: object[] }>([...words, '--dry-run'], settings)
    expect(dry.steps).toHaveLength(3)
    expect(provider.heard).toEqual([])
    await runForJson(words, settings)
    expect(provider.heard.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/zones/zone/email/routing/dns', { name: 'in.test' }],
      ['POST', '/zones/zone/email/routing/dns', { name: 'team.in.test' }],
      ['PUT', '/zones/zone/email/routing/rules/catch_all', expect.objectContaining({ enabled: true })],
    ])
    provider.say = ({ method }) =>
      method === 'PUT'
        ? { status: 403, body: { success: false, errors: [{ code: 10000, message: 'Authentication error' }] } }
        : { status: 200, body: { success: true, errors: [], result: {} } }
    const failed = await runToExit(['worker', 'bootstrap'], { ...settings, EMAIL_DOMAIN: 'in.test' })
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('Authentication error')
    expect(failed.stderr).toContain('Already done: add and lock the mail records of in.test')
  })

  test('errors are readable', async () => {
    const { settings } = await start()
    const missing = await runToExit(['worker', 'inboxes'], {})
    expect(missing.code).toBe(78)
    expect(missing.stderr).toMatch(/WORKER_URL(.|\n)*ADMIN_TOKEN/)
    const other = await runToExit(['worker', 'inboxes'], { ...settings, ADMIN_TOKEN: 'another-token' })
    expect([other.code, JSON.parse(other.stderr)]).toMatchObject([4, { error: { code: 'unauthorized' } }])
    const away = await runToExit(['worker', 'retry'], { ...settings, WORKER_URL: 'http://127.0.0.1:1' })
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('is unreachable')])
    const half = await runToExit(['worker', 'retry', 'qa'], settings)
    expect([half.code, half.stderr]).toEqual([2, expect.stringContaining("missing argument 'id'")])
  })
})
