// Sends the spans of Mailhatch to an OpenTelemetry collector. See docs/operate/tracing.md.
import { isMainThread } from 'node:worker_threads'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

// Threads load this file too, but record no spans.
if (isMainThread) {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME ?? 'mailhatch' }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  provider.register()
  // The last spans, if the collector responds.
  process.once('beforeExit', () => void provider.shutdown().catch(() => {}))
}
