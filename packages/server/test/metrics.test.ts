import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startWorker } from '../src/program/node.ts'
import { startServer, temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

async function readMetrics(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return answer.text()
}

/** The value of this name and its labels in the format of Prometheus. Null if there is no such line. */
function valueOf(text: string, name: string): number | null {
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return line === undefined ? null : Number(line.slice(name.length + 1))
}

test('metrics are off by default', async () => {
  const silent = await startServer()
  for (const url of [silent.url, silent.workerUrl]) expect((await fetch(`${url}/metrics`)).status).toBe(404)
  const counting = await startServer({ METRICS: 'on' })
  for (const url of [counting.url, counting.workerUrl]) await readMetrics(url)
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
  const text = await readMetrics(url)
  expect(valueOf(text, 'mailhatch_smtp_messages_total')).toBe(3)
  expect(valueOf(text, 'mailhatch_mails_parsed_total{parse="complete"}')).toBe(2)
  expect(valueOf(text, 'mailhatch_bucket_put_seconds_count')).toBe(2)
  expect(valueOf(text, 'mailhatch_smtp_refusals_total{code="552"}')).toBe(1)
  expect(valueOf(text, 'mailhatch_announcements_total{outcome="stored"}')).toBe(3)
  expect(valueOf(text, 'mailhatch_http_answers_total{method="GET",route="/v1/messages/:id",status="200"}')).toBe(2)
  expect(valueOf(text, 'mailhatch_http_answer_seconds_count{route="/v1/messages/:id"}')).toBe(2)
  expect(valueOf(text, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  // Metrics are public, so they contain no names of mailboxes or users.
  expect(text).not.toMatch(/qa|mailhatch\.test|shop\.example/)
  expect(text).not.toContain(id)
  // One program has one set of metrics.
  expect(valueOf(await readMetrics(workerUrl), 'mailhatch_smtp_messages_total')).toBe(3)
})

test('a held wait is shown while it is held, and its duration does not count as response time', async () => {
  const { url, apiKey, sendMail } = await startServer({ METRICS: 'on' })
  const latest = 'mailhatch_http_answers_total{method="GET",route="/v1/messages/latest",status="200"}'
  const headers = { authorization: `Bearer ${apiKey}` }
  const waiting = fetch(`${url}/v1/messages/latest?tag=held&wait=60`, { headers })
  await vi.waitFor(async () => expect(valueOf(await readMetrics(url), 'mailhatch_waits_held')).toBe(1))
  await sendMail({ to: 'qa+held@mailhatch.test', subject: 'Here' })
  expect((await waiting).status).toBe(200)
  const text = await readMetrics(url)
  expect(valueOf(text, 'mailhatch_waits_held')).toBe(0)
  expect(valueOf(text, latest)).toBe(1)
  expect(valueOf(text, 'mailhatch_http_answer_seconds_count{route="/v1/messages/latest"}')).toBeNull()
})

test('mail that a separate worker cannot announce is shown as waiting', async () => {
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
    }),
    createLogger('silent', false),
  )
  onTestFinished(() => running.close())
  const url = `http://127.0.0.1:${running.workerPort}`
  expect(valueOf(await readMetrics(url), 'mailhatch_announcements_waiting')).toBe(0)
  const client = await SmtpClient.connect(running.smtpPort!)
  await client.send({ to: 'qa@in.mailhatch.test', raw: Buffer.from('Subject: Hello\r\n\r\nHello\r\n') })
  client.close()
  const text = await readMetrics(url)
  expect(valueOf(text, 'mailhatch_announcements_waiting')).toBe(1)
  expect(valueOf(text, 'mailhatch_announcements_oldest_seconds')).toBeGreaterThan(0)
})
