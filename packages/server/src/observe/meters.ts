import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import {
  METRICS,
  type CounterName,
  type GaugeName,
  type HistogramName,
  type MetricDeclaration,
} from './metric-table.ts'

/** A scrape does not wait longer for a value: the others are needed most while the database does not respond. */
const READ_MS_MAX = 1_000

type Read = () => number | Promise<number>

/** `seconds` is null for requests that the client asked to hold. */
export type Responded = { method: string; route: string; status: number; seconds: number | null }

/** The all-in-one program is both. */
export type MeteredPart = 'api' | 'worker' | 'both'

export type Meters = ReturnType<typeof createMeters>

/** Prometheus metrics of this process. Only numbers: no team, mailbox or address. */
export function createMeters(part: MeteredPart) {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const accepted = counter('mailhatch_smtp_messages_total')
  const refusals = counter('mailhatch_smtp_refusals_total')
  const attemptsDropped = counter('mailhatch_attempts_dropped_total')
  const parseSeconds = histogram('mailhatch_parse_duration_seconds')
  const putSeconds = histogram('mailhatch_bucket_put_duration_seconds')
  const syncSeconds = histogram('mailhatch_sync_duration_seconds')
  const readableSeconds = histogram('mailhatch_acceptance_to_readable_seconds')
  const announcementFailures = counter('mailhatch_announcement_failures_total')
  const setAside = counter('mailhatch_mails_set_aside_total')
  const refusedRemoved = counter('mailhatch_refused_mails_removed_total')
  const announcements = counter('mailhatch_announcements_total')
  const intakeRefusals = counter('mailhatch_intake_refusals_total')
  const intakeSeconds = histogram('mailhatch_intake_duration_seconds')
  const requests = counter('mailhatch_http_requests_total')
  const requestSeconds = histogram('mailhatch_http_request_duration_seconds')
  const attempts = counter('mailhatch_webhook_attempts_total')
  const deliveries = counter('mailhatch_webhook_deliveries_total')
  const deliverySeconds = histogram('mailhatch_webhook_delivery_age_seconds')

  /** A metric of the other program would always be 0, so it is not served. */
  function declared(name: CounterName | HistogramName) {
    const { of, help, labels = {} }: MetricDeclaration = METRICS[name]
    const isServed = of === 'both' || part === 'both' || of === part
    return { name, help, labelNames: Object.keys(labels), registers: isServed ? registers : [] }
  }

  function counter(name: CounterName): Counter {
    const counter = new Counter(declared(name))
    for (const labels of knownLabels(METRICS[name])) counter.inc(labels, 0)
    return counter
  }

  function histogram(name: HistogramName): Histogram {
    const histogram = new Histogram({ ...declared(name), buckets: [...METRICS[name].buckets] })
    for (const labels of knownLabels(METRICS[name])) histogram.zero(labels)
    return histogram
  }

  return {
    responded({ method, route, status, seconds }: Responded): void {
      requests.inc({ method, route, status })
      if (seconds !== null) requestSeconds.observe({ route }, seconds)
    },
    announced: (outcome: 'stored' | 'duplicate' | 'refused' | 'failed') => announcements.inc({ outcome }),
    intakeRefused: (reason: string) => intakeRefusals.inc({ reason }),
    intake: (seconds: number) => intakeSeconds.observe(seconds),
    readable: (seconds: number) => readableSeconds.observe(seconds),
    announcementFailed: (status: number | null) => announcementFailures.inc({ status: status ?? 'none' }),
    setAside: () => setAside.inc(),
    refusedRemoved: (count: number) => refusedRemoved.inc(count),
    attempted: (outcome: 'delivered' | 'failed') => attempts.inc({ outcome }),
    /** Without an age for a replay. */
    deliveryEnded(outcome: 'delivered' | 'failed', ageSeconds: number | null): void {
      deliveries.inc({ outcome })
      if (outcome === 'delivered' && ageSeconds !== null) deliverySeconds.observe(ageSeconds)
    },
    attemptsDropped: (count: number) => attemptsDropped.inc(count),
    accepted: (messages: number) => accepted.inc(messages),
    parsed: (outcome: string, seconds: number) => parseSeconds.observe({ outcome }, seconds),
    put: (seconds: number) => putSeconds.observe(seconds),
    synced: (target: 'database' | 'bucket', seconds: number) => syncSeconds.observe({ target }, seconds),
    refused: (code: number, reason: string) => refusals.inc({ code, reason }),
    /** Registers a gauge that is read at every scrape. It has no sample while its value is not known. */
    watch(name: GaugeName, read: Read): void {
      const readSoon = createSoonReader(read)
      const gauge: Gauge = new Gauge({ name, help: METRICS[name].help, registers, collect })
      async function collect(): Promise<void> {
        const value = await readSoon()
        if (value === null) gauge.remove()
        else gauge.set(value)
      }
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

/** Series that start with 0: Prometheus sees no increase in one that begins with 1. */
function knownLabels({ labels = {} }: MetricDeclaration): Record<string, string>[] {
  const [label, ...others] = Object.entries(labels)
  if (!label || others.length > 0) return []
  const [name, values] = label
  return typeof values === 'string' ? [] : values.map((value) => ({ [name]: value }))
}

/** Null if reading fails or takes long. One read at a time, however often it is called. */
function createSoonReader(read: Read): () => Promise<number | null> {
  let reading: Promise<number | null> | null = null
  return () => {
    reading ??= Promise.try(read)
      .catch(() => null)
      .finally(() => (reading = null))
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(late.resolve, READ_MS_MAX, null)
    return Promise.race([reading, late.promise]).finally(() => clearTimeout(timer))
  }
}
