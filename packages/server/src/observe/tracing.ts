import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api'
import { SPANS, type SpanName } from './span-table.ts'

/** Contexts of messages and events on their way. Beyond this, the oldest is forgotten, and what follows it begins a trace of its own. */
const REMEMBERED_MAX = 10_000

export type Tracing = ReturnType<typeof createTracing>

type SpanOptions<Result> = {
  attributes?: Attributes
  /** Of `remember`: the span belongs to the trace of that moment, or begins one. Without it, it belongs to the active span. */
  after?: string
  /** Attributes that are known only at the end. With `error.type`, the span counts as failed. */
  ended?: (result: Result) => Attributes
}

/** Records spans with the OpenTelemetry SDK that was registered before the start. They contain no address and no content. */
export function createTracing() {
  const tracer = trace.getTracer('mailhatch')
  const remembered = new Map<string, Context>()

  function start<Result>(name: SpanName, { attributes = {}, after }: SpanOptions<never>, work: (span: Span) => Result) {
    const parent = after === undefined ? context.active() : (remembered.get(after) ?? ROOT_CONTEXT)
    return tracer.startActiveSpan(name, { kind: SPANS[name].kind, attributes }, parent, work)
  }

  return {
    async inSpan<Result>(name: SpanName, options: SpanOptions<Result>, work: () => Promise<Result>): Promise<Result> {
      return start(name, options, async (span) => {
        try {
          const result = await work()
          if (options.ended) note(span, options.ended(result))
          return result
        } catch (error) {
          note(span, { 'error.type': typeOf(error) })
          throw error
        } finally {
          span.end()
        }
      })
    },
    /** The same for work that ends at once. */
    inShortSpan(name: SpanName, work: () => void): void {
      start(name, {}, (span) => {
        try {
          work()
        } finally {
          span.end()
        }
      })
    },
    /** For work that follows later, in another call. */
    remember(key: string): void {
      remembered.set(key, context.active())
      if (remembered.size > REMEMBERED_MAX) remembered.delete(remembered.keys().next().value!)
    },
    forget: (key: string): unknown => remembered.delete(key),
    /** Headers that make the receiver of a request part of this trace. No baggage: it may be private. */
    headers(): Record<string, string> {
      const carrier: Record<string, string> = {}
      propagation.inject(propagation.deleteBaggage(context.active()), carrier)
      return carrier
    },
    /** Continues the trace that a request belongs to, unless an instrumentation already does. */
    within<Result>(headers: Headers, work: () => Result): Result {
      if (trace.getActiveSpan()) return work()
      const getter = { get: (from: Headers, key: string) => from.get(key) ?? undefined, keys: () => [] }
      return context.with(propagation.extract(ROOT_CONTEXT, headers, getter), work)
    },
  }
}

function note(span: Span, attributes: Attributes): void {
  span.setAttributes(attributes)
  if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Not the message of the error, which can contain parts of the mail. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
