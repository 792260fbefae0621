// Run by tracing.test.ts in a process of its own, because an SDK is registered for a whole process. Prints what is recorded.
import { context, propagation } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { createTracing } from '../../src/observe/tracing.ts'

const exporter = new InMemorySpanExporter()
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()
const tracing = createTracing()

await tracing.inSpan('mail.receive', {}, async () => tracing.remember('one'))
// As when a mail that has just arrived lets others be announced.
await tracing.inSpan('mail.store', {}, async () => {
  await tracing.inSpan('mail.announce', { after: 'one' }, async () => {})
  await tracing.inSpan('webhook.send', { after: 'of an earlier run' }, async () => {})
  await tracing.inSpan('mail.parse', {}, async () => {})
})
const failure = Object.assign(new Error('to someone@example.com'), { code: 'mailbox_unknown' })
await tracing.inSpan('mail.intake', {}, () => Promise.reject(failure)).catch(() => {})

const baggage = propagation.createBaggage({ customer: { value: 'private' } })
const headers = context.with(propagation.setBaggage(context.active(), baggage), () => {
  const bySdk: Record<string, string> = {}
  propagation.inject(context.active(), bySdk)
  return { bySdk, byUs: tracing.headers() }
})

const spans = exporter.getFinishedSpans().map((span) => {
  const { name, attributes, status, events } = span
  return { name, traceId: span.spanContext().traceId, attributes, status, events }
})
console.log(JSON.stringify({ spans, headers }))
