import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { METRICS, type MetricDeclaration } from '../src/observe/metric-table.ts'
import { startApi, startWorker } from '../src/program/node.ts'
import { withDatabase } from './support/journey-database.ts'
import { metricsIn, scrape, valueOf } from './support/scrape.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

test('metrics are off by default', async () => {
  const silent = await startServer()
  for (const url of [silent.url, silent.workerUrl]) expect((await fetch(`${url}/metrics`)).status).toBe(404)
  const counting = await startServer({ METRICS: 'on' })
  for (const url of [counting.url, counting.workerUrl]) await scrape(url)
})

test('mail, rejections, announcements and responses are counted', async () => {
  const { url, workerUrl, sdk, sendMail } = await startServer({ METRICS: 'on', SMTP_MAX_SIZE: '2000' })
  await sendMail({ to: 'qa+one@mailhatch.test', subject: 'One' })
  await sendMail({ to: ['qa+two@mailhatch.test', 'qa+three@mailhatch.test'], subject: 'Two' })
  await expect(sendMail({ to: 'qa@mailhatch.test', text: 'x'.repeat(3_000) })).rejects.toThrow('552')
  await vi.waitFor(async () => expect((await sdk.messages.list()).data).toHaveLength(3))
  const { id } = await sdk.messages.latest({ tag: 'one' })
  await sdk.messages.get(id)
  await sdk.messages.get(id)
  const text = await scrape(url)
  expect(valueOf(text, 'mailhatch_smtp_messages_total')).toBe(3)
  expect(valueOf(text, 'mailhatch_parse_duration_seconds_count{outcome="complete"}')).toBe(2)
  expect(valueOf(text, 'mailhatch_bucket_put_duration_seconds_count')).toBe(2)
  expect(valueOf(text, 'mailhatch_smtp_refusals_total{code="552",reason="mail_too_big"}')).toBe(1)
  expect(valueOf(text, 'mailhatch_announcements_total{outcome="stored"}')).toBe(3)
  expect(valueOf(text, 'mailhatch_http_requests_total{method="GET",route="/v1/messages/:id",status="200"}')).toBe(2)
  expect(valueOf(text, 'mailhatch_http_request_duration_seconds_count{route="/v1/messages/:id"}')).toBe(2)
  expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  // Metrics are public, so they contain no names of mailboxes or users.
  expect(text).not.toMatch(/qa|mailhatch\.test|shop\.example/)
  expect(text).not.toContain(id)
  // One program has one set of metrics.
  expect(valueOf(await scrape(workerUrl), 'mailhatch_smtp_messages_total')).toBe(3)
})

test('a held wait is shown while it is held, and its duration does not count as response time', async () => {
  const { url, apiKey, sendMail } = await startServer({ METRICS: 'on' })
  const latest = 'mailhatch_http_requests_total{method="GET",route="/v1/messages/latest",status="200"}'
  const headers = { authorization: `Bearer ${apiKey}` }
  const waiting = fetch(`${url}/v1/messages/latest?tag=held&wait=60`, { headers })
  await vi.waitFor(async () => expect(valueOf(await scrape(url), 'mailhatch_waits_held')).toBe(1))
  await sendMail({ to: 'qa+held@mailhatch.test', subject: 'Here' })
  expect((await waiting).status).toBe(200)
  const text = await scrape(url)
  expect(valueOf(text, 'mailhatch_waits_held')).toBe(0)
  expect(valueOf(text, latest)).toBe(1)
  expect(valueOf(text, 'mailhatch_http_request_duration_seconds_count{route="/v1/messages/latest"}')).toBeNull()
})

/** Of one part of the product, and of both. */
function metricsOf(part: 'api' | 'worker'): string[] {
  const all = Object.entries<MetricDeclaration>(METRICS)
  return all.flatMap(([name, { of }]) => (of === 'both' || of === part ? [name] : []))
}

test('a separate API serves its own metrics', async () => {
  const settings = await withDatabase({ DATA_DIR: temporaryFolder(), PORT: '0', METRICS: 'on' })
  const api = await startApi(readConfig('api', settings), createLogger('silent', false))
  onTestFinished(() => api.close())
  const text = await scrape(`http://127.0.0.1:${api.apiPort}`)
  expect([...metricsIn(text).keys()].sort()).toEqual(metricsOf('api').sort())
  expect(valueOf(text, 'mailhatch_database_size_bytes')).toBeGreaterThan(0)
})

test('a separate worker serves its own metrics, without the size of a bucket that it would have to list', async () => {
  const storage = temporaryFolder()
  const { url, smtpPort } = await startSeparateWorker({ INBOX_STORAGE: `file:${storage}` })
  const client = await SmtpClient.connect(smtpPort)
  expect(await client.send({ to: 'qa@in.mailhatch.test', raw: Buffer.from('Hello\r\n') })).toMatch(/^250 /)
  client.close()
  const text = await scrape(url)
  const served = metricsOf('worker').filter((name) => name !== 'mailhatch_bucket_size_bytes')
  expect([...metricsIn(text).keys()].sort()).toEqual(served.sort())
  // Two files and their folders.
  expect(valueOf(text, 'mailhatch_sync_duration_seconds_count{target="bucket"}')).toBeGreaterThanOrEqual(4)
})

/** Its API does not exist. */
async function startSeparateWorker(environment: Record<string, string> = {}) {
  const running = await startWorker(
    readConfig('worker', {
      DATA_DIR: temporaryFolder(),
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      DISK_FREE_MIN: '0',
      METRICS: 'on',
      // Nothing listens on this port.
      WEBHOOK_URL: 'http://127.0.0.1:1/webhooks/inbox',
      WEBHOOK_AUTH_TOKEN: 'token-of-the-tests',
      ...environment,
    }),
    createLogger('silent', false),
  )
  onTestFinished(() => running.close())
  return { url: `http://127.0.0.1:${running.workerPort}`, smtpPort: running.smtpPort! }
}

test('mail that a separate worker cannot announce is shown as waiting', async () => {
  const { url, smtpPort } = await startSeparateWorker()
  expect(valueOf(await scrape(url), 'mailhatch_announcements_waiting')).toBe(0)
  const client = await SmtpClient.connect(smtpPort)
  await client.send({ to: 'qa@in.mailhatch.test', raw: Buffer.from('Subject: Hello\r\n\r\nHello\r\n') })
  client.close()
  const text = await scrape(url)
  expect(valueOf(text, 'mailhatch_announcements_waiting')).toBe(1)
  expect(valueOf(text, 'mailhatch_announcements_oldest_seconds')).toBeGreaterThan(0)
})
