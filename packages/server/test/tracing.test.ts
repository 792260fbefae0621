import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SPANS, type SpanName } from '../src/observe/span-table.ts'
import { openTracing } from '../src/program/traced.ts'
import { API_KEY, startChild, type ChildOptions } from './support/child-server.ts'
import { startDouble } from './support/json-double.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { webhookClient } from './support/webhook-client.ts'
import { startWebhookReceiver } from './support/webhook-receiver.ts'

/** The file of docs/operate/tracing.md. */
const RECIPE = fileURLToPath(new URL('../../../deploy/opentelemetry/tracing.mjs', import.meta.url))
const RECORDING = fileURLToPath(new URL('support/recorded-spans.ts', import.meta.url))
const FAILED = 2

/** As in OTLP with JSON: what the tests read of it. */
type Span = {
  name: SpanName
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  status: { code: number }
}
type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

/** A collector, and programs that send it their spans. */
async function startTraced() {
  const collector = await startDouble(() => ({ status: 200, body: {} }))
  onTestFinished(collector.close)
  const spans = () => {
    // The double keeps the bodies of all requests, and only exports are sent to it.
    const exports = collector.heard.map(({ body }) => body as Export)
    return exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    )
  }
  return {
    start: ({ environment, ...options }: ChildOptions) =>
      startChild({
        ...options,
        nodeArguments: ['--import', RECIPE],
        environment: {
          DATA_DIR: temporaryFolder(),
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_BSP_SCHEDULE_DELAY: '50',
          ...environment,
        },
      }),
    spans,
    /** The trace that has a span of each of these names. */
    async traceWith(...names: SpanName[]): Promise<Span[]> {
      const find = () => {
        const all = spans()
        const traces = new Set(all.map(({ traceId }) => traceId))
        const found = Array.from(traces, (id) => all.filter(({ traceId }) => traceId === id))
        return found.find((trace) => names.every((name) => trace.some((span) => span.name === name)))
      }
      await vi.waitUntil(find, { timeout: 60_000 })
      return find()!
    },
  }
}

async function send(smtpPort: number, to: string): Promise<void> {
  const client = await SmtpClient.connect(smtpPort)
  expect(await client.send({ to, raw: Buffer.from('Subject: Private subject\r\n\r\nhello\r\n') })).toMatch(/^250 /)
  client.close()
}

/** Each span with the one that it is below. */
function tree(spans: Span[]): Record<string, string | null> {
  const parentOf = ({ parentSpanId }: Span) => spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? null
  return Object.fromEntries(spans.map((span) => [span.name, parentOf(span)]))
}

function attributesOf(spans: Span[], name: SpanName) {
  const { attributes } = spans.find((span) => span.name === name)!
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
}

test('a mail is one trace, from SMTP to its webhook', async () => {
  const { start, spans, traceWith } = await startTraced()
  const server = await start({ environment: { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } })
  const receiver = await startWebhookReceiver()
  await webhookClient(server.apiUrl, API_KEY).add({ url: receiver.url })
  await send(server.smtpPort, 'qa+private@mailhatch.test')
  const { id } = await new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }).messages.waitFor({ tag: 'private' })

  const trace = await traceWith('mail.receive', 'mail.announce', 'webhook.send')
  expect(tree(trace)).toEqual({
    'mail.receive': null,
    'mail.parse': 'mail.receive',
    'mail.store': 'mail.receive',
    'mail.announce': 'mail.receive',
    'mail.intake': 'mail.announce',
    'message.insert': 'mail.intake',
    'message.wake': 'mail.intake',
    'webhook.send': 'mail.intake',
  } satisfies Record<SpanName, SpanName | null>)
  // OTLP counts the kinds from 1.
  for (const { name, kind } of trace) expect(kind - 1, name).toBe(SPANS[name].kind)
  expect(attributesOf(trace, 'mail.receive')).toEqual({
    'mailhatch.recipients': 1,
    'mailhatch.size': expect.any(Number),
  })
  expect(attributesOf(trace, 'mail.intake')).toEqual({ 'mailhatch.message.id': id, 'mailhatch.outcome': 'stored' })
  const { traceId, spanId } = trace.find(({ name }) => name === 'webhook.send')!
  expect(receiver.received[0]!.headers['traceparent']).toBe(`00-${traceId}-${spanId}-01`)

  const shown = JSON.stringify(spans())
  expect(shown).toContain(id)
  expect(shown).not.toMatch(/private|mailhatch\.test/i)
})

test('a worker and an API apart share the trace, and a refusal is a failed span', async () => {
  const { start, traceWith } = await startTraced()
  const api = await start({ program: 'api', environment: {} })
  const worker = await start({
    program: 'worker',
    environment: { WEBHOOK_URL: `${api.apiUrl}/webhooks/inbox`, WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET },
  })
  await send(worker.smtpPort, 'box@unclaimed.test')
  const trace = await traceWith('mail.receive', 'mail.announce', 'mail.intake')
  expect(tree(trace)).toMatchObject({ 'mail.announce': 'mail.receive', 'mail.intake': 'mail.announce' })
  expect(attributesOf(trace, 'mail.intake')).toEqual({ 'error.type': 'inbox_domain_unknown' })
  expect(attributesOf(trace, 'mail.announce')).toMatchObject({ 'http.response.status_code': 404, 'error.type': '404' })
  const failed = trace.filter(({ status }) => status.code === FAILED).map(({ name }) => name)
  expect(failed.sort()).toEqual(['mail.announce', 'mail.intake'])
})

test('what follows later belongs to the trace that was remembered, and to no other mail', () => {
  type Recorded = { name: string; traceId: string; attributes: object; status: object; events: unknown[] }
  type Output = { spans: Recorded[]; headers: Record<'bySdk' | 'byUs', Record<string, string>> }
  const printed = execFileSync(process.execPath, ['--conditions=mailhatch-source', RECORDING], { encoding: 'utf8' })
  // The file prints this.
  const { spans, headers } = JSON.parse(printed) as Output
  const found = (name: SpanName) => spans.find((span) => span.name === name)!
  const traceOf = (name: SpanName) => found(name).traceId
  expect(traceOf('mail.announce')).toBe(traceOf('mail.receive'))
  expect(traceOf('mail.parse')).toBe(traceOf('mail.store'))
  const begun: SpanName[] = ['mail.receive', 'mail.store', 'webhook.send', 'mail.intake']
  expect(new Set(begun.map(traceOf)).size).toBe(begun.length)
  // A failure shows its code, and nothing of its text.
  expect(found('mail.intake')).toMatchObject({
    attributes: { 'error.type': 'mailbox_unknown' },
    status: { code: FAILED },
    events: [],
  })
  expect(headers).toEqual({ bySdk: { baggage: 'customer=private' }, byUs: {} })
})

test('without an SDK there are no spans and no headers', async () => {
  const server = await startChild({ environment: { DATA_DIR: temporaryFolder(), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' } })
  const receiver = await startWebhookReceiver()
  await webhookClient(server.apiUrl, API_KEY).add({ url: receiver.url })
  await send(server.smtpPort, 'qa@mailhatch.test')
  await vi.waitUntil(() => receiver.received.length > 0)
  expect(receiver.received[0]!.headers).not.toHaveProperty('traceparent')
  expect(await openTracing()).toBeNull()
})
