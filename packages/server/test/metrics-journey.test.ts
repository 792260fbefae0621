import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { METRICS, type MetricDeclaration } from '../src/observe/metric-table.ts'
import { announcement, post } from './support/announce.ts'
import { documentedMetrics } from './support/documented-metrics.ts'
import { openEvents } from './support/event-stream.ts'
import { startFaultyProxy, type Fault } from './support/faulty-proxy.ts'
import { freePort } from './support/free-port.ts'
import { promtool } from './support/promtool.ts'
import { metricsIn, scrape, valueOf } from './support/scrape.ts'
import { startServer } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver } from './support/webhook-receiver.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400 * SECOND_MS

/** An error of the API, which may be due to the mail. */
const FAILED: Fault = { status: 500, body: JSON.stringify({ error: 'A bug', code: 'internal_error', requestId: 'r' }) }
/** Another server in place of the API. */
const ABSENT: Fault = { status: 404 }

/** The names and values of labels that no journey reaches, and why. */
const UNREACHED: Record<string, string> = {
  'mailhatch_parse_duration_seconds outcome=failed':
    'no mail is known that the parser fails on; mail-parser.test.ts has a parser that dies',
}

/**
 * The whole program, whose announcements pass a proxy, with a load that the test sets. Its clock stands still until the test
 * moves it, so that nothing is retried in between.
 */
async function startJourney() {
  const startedAt = Date.now()
  const port = await freePort()
  const state = { fault: 'pass' as Fault, passedMs: 0, isOverloaded: false }
  // No attempt is taken.
  const faultOf = (_: number, url: string) => (url.endsWith('/attempts') ? ABSENT : state.fault)
  const proxy = await startFaultyProxy(`http://127.0.0.1:${port}`, faultOf)
  const load = { isOverloaded: () => state.isOverloaded, isMemoryShort: () => false, close() {} }
  const server = await startServer(
    {
      METRICS: 'on',
      PORT: String(port),
      WEBHOOK_URL: `${proxy.url}/webhooks/inbox`,
      WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      WEBHOOK_RETRY_DELAYS: '600',
      SMTP_MAX_SIZE: '1000000',
      REFUSED_MAIL_DAYS: '1',
    },
    () => startedAt + state.passedMs,
    load,
  )
  const scrapes: string[] = []
  /** Scrapes until a value is as expected. */
  async function until(series: string, isExpected: (value: number) => boolean): Promise<void> {
    await vi.waitFor(async () => {
      const text = await scrape(server.url)
      scrapes.push(text)
      const value = valueOf(text, series)
      expect(value !== null && isExpected(value), `${series} is ${value}`).toBe(true)
    })
  }
  const reaches = (series: string, value: number) => until(series, (found) => found === value)
  return { ...server, state, scrapes, until, reaches }
}

type Journey = Awaited<ReturnType<typeof startJourney>>

async function receiveAndRefuse({ sendMail, smtpPort, url, reaches, state, scrapes }: Journey): Promise<void> {
  scrapes.push(await scrape(url))
  const client = await SmtpClient.connect(smtpPort)
  await reaches('mailhatch_smtp_connections', 1)
  const raw = Buffer.from(`Subject: ${'long '.repeat(3_000)}\r\n\r\n${'x'.repeat(70)}\r\n`)
  expect(await client.send({ to: 'qa+partial@mailhatch.test', raw })).toMatch(/^250 /)
  client.close()
  await reaches('mailhatch_smtp_connections', 0)
  await sendMail({ to: 'qa+large@mailhatch.test', text: 'A line of text.\r\n'.repeat(40_000) })
  await expect(sendMail({ to: 'qa@mailhatch.test', text: 'x'.repeat(1_100_000) })).rejects.toThrow('552')
  await reaches('mailhatch_smtp_refusals_total{code="552",reason="mail_too_big"}', 1)
  state.isOverloaded = true
  await expect(sendMail({ to: 'qa@mailhatch.test' })).rejects.toThrow('421')
  await reaches('mailhatch_overloaded', 1)
  state.isOverloaded = false
  await reaches('mailhatch_announcements_total{outcome="stored"}', 2)
  const twice = announcement()
  for (const status of ['stored', 'duplicate']) expect((await post(url, twice)).body).toMatchObject({ status })
}

async function waitAndStream({ url, apiKey, sendMail, reaches }: Journey): Promise<void> {
  const waiting = fetch(`${url}/v1/messages/latest?tag=held&wait=60`, {
    headers: { authorization: `Bearer ${apiKey}` },
  })
  const events = await openEvents(`${url}/v1/messages/stream`, { key: apiKey })
  await reaches('mailhatch_waits_held', 1)
  await reaches('mailhatch_streams_open', 1)
  await sendMail({ to: 'qa+held@mailhatch.test', subject: 'Here' })
  expect((await waiting).status).toBe(200)
  await vi.waitFor(() => expect(events.subjects()).toContain('Here'))
}

async function deliverWebhooks({ url, apiKey, sendMail, reaches }: Journey): Promise<void> {
  const receiver = await startWebhookReceiver(({ path }) => ({
    status: path === '/gone' ? 410 : path === '/busy' ? 503 : 200,
  }))
  const webhooks = webhookClient(url, apiKey)
  for (const path of ['good', 'gone', 'busy']) await webhooks.add({ url: `${receiver.url}/${path}`, mailbox: 'hooks' })
  await sendMail({ to: 'hooks@mailhatch.test', subject: 'To three endpoints' })
  await reaches('mailhatch_webhook_deliveries_total{outcome="delivered"}', 1)
  await reaches('mailhatch_webhook_deliveries_total{outcome="failed"}', 1)
  await reaches('mailhatch_webhook_attempts_total{outcome="failed"}', 2)
}

/** The endpoint that was busy still has a delivery, which is due in ten minutes. */
async function failStoring({ dataDir, sendMail, until, reaches, state }: Journey): Promise<void> {
  // It waits for a write of the server that has begun.
  const other = new DatabaseSync(join(dataDir, 'mailhatch.db'), { timeout: 10_000 })
  other.exec('begin immediate')
  try {
    await sendMail({ to: 'qa+late@mailhatch.test', subject: 'The database is locked' })
    state.passedMs += 1_000 * SECOND_MS
    await until('mailhatch_webhook_oldest_due_seconds', (seconds) => seconds > 0)
    await reaches('mailhatch_announcements_total{outcome="failed"}', 1)
  } finally {
    other.close()
  }
}

async function setMailAside({ sendMail, until, reaches, state }: Journey): Promise<void> {
  state.fault = FAILED
  await sendMail({ to: 'qa+poison@mailhatch.test' })
  for (const failures of [1, 2, 3]) {
    await reaches('mailhatch_announcement_failures_total{status="500"}', failures)
    if (failures === 3) break
    state.fault = 'pass'
    // Other mail counts if it is accepted later than the failure. The next attempt is due a second after it.
    state.passedMs += 100
    for (let count = 0; count < 3; count++) await sendMail({ to: 'qa+harmless@mailhatch.test' })
    await reaches('mailhatch_announcements_waiting', 1)
    state.fault = FAILED
    state.passedMs += 10 * SECOND_MS
  }
  await reaches('mailhatch_set_aside_mails', 1)
  await reaches('mailhatch_mails_set_aside_total', 1)
  state.fault = ABSENT
  await sendMail({ to: 'qa+waiting@mailhatch.test' })
  await reaches('mailhatch_announcements_not_reaching', 1)
  state.passedMs += SECOND_MS
  await until('mailhatch_announcements_oldest_seconds', (seconds) => seconds > 0)
  state.fault = 'pass'
  state.passedMs += 60 * SECOND_MS
  await reaches('mailhatch_announcements_waiting', 0)
}

async function refuseUnclaimed({ sendMail, until, reaches, state }: Journey): Promise<void> {
  await sendMail({ to: 'anna@unclaimed.example' })
  await reaches('mailhatch_intake_refusals_total{reason="inbox_domain_unknown"}', 1)
  // The others are of the other server.
  await until('mailhatch_announcement_failures_total{status="404"}', (count) => count >= 2)
  state.passedMs += 2 * DAY_MS
  await reaches('mailhatch_refused_mails_removed_total', 1)
}

test('every metric moves, is documented, and is read by Prometheus', async () => {
  const journey = await startJourney()
  await receiveAndRefuse(journey)
  await waitAndStream(journey)
  await deliverWebhooks(journey)
  await setMailAside(journey)
  await failStoring(journey)
  await refuseUnclaimed(journey)
  const last = await scrape(journey.url)
  const all = [...journey.scrapes, last].map(metricsIn)

  const names = Object.keys(METRICS)
  expect(Array.from(all.at(-1)!.keys()).sort()).toEqual(names.toSorted())
  const shown = (name: string) => new Set(all.map((metrics) => metrics.get(name)?.lines.join('\n') ?? ''))
  expect(names.filter((name) => shown(name).size < 2)).toEqual([])
  const values = Object.entries<MetricDeclaration>(METRICS).flatMap(([name, { labels = {} }]) =>
    Object.entries(labels).flatMap(([label, given]) =>
      typeof given === 'string' ? [] : given.map((value) => ({ name, label, value })),
    ),
  )
  const unseen = values.filter(({ name, label, value }) => !last.match(`\n${name}\\w*{.*${label}="${value}".*} [1-9]`))
  expect(unseen.map(({ name, label, value }) => `${name} ${label}=${value}`)).toEqual(Object.keys(UNREACHED))

  // The page has every metric with its type and labels, and no others.
  const served = Array.from(all.at(-1)!, ([name, { type, labels }]) => ({ name, type, labels: [...labels].sort() }))
  expect(documentedMetrics()).toEqual(served.sort((one, other) => (one.name < other.name ? -1 : 1)))

  // Names of Node's own metrics are not ours to choose; some gauges among them end in _total.
  const { code, output } = await promtool(['check', 'metrics'], last)
  expect(output.split('\n').filter((line) => line !== '' && !line.startsWith('nodejs_'))).toEqual([])
  expect([0, 3]).toContain(code)
})

test('control: Prometheus refuses text with an error, and names against its conventions', async () => {
  expect(await promtool(['check', 'metrics'], 'mailhatch_mails{outcome="stored} 1\n')).toMatchObject({ code: 1 })
  const odd = '# HELP mailhatch_mails_ms Mail.\n# TYPE mailhatch_mails_ms counter\nmailhatch_mails_ms 1\n'
  expect((await promtool(['check', 'metrics'], odd)).output).toContain('mailhatch_mails_ms')
})
