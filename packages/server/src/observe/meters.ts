import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** From a response out of memory to one page of a large search. */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** From a fast disk to remote storage after three attempts. */
const PUT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

/** `seconds` is null for requests that the client asked to hold. */
export type Answered = { method: string; route: string; status: number; seconds: number | null }

export type Meters = ReturnType<typeof createMeters>

/** Prometheus metrics of this process. Only numbers: no team, mailbox or address. */
export function createMeters() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const answers = new Counter({
    name: 'mailhatch_http_answers_total',
    help: 'Responses of the API.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const answerSeconds = new Histogram({
    name: 'mailhatch_http_answer_seconds',
    help: 'Time until a response of the API began, without held waits.',
    labelNames: ['route'],
    buckets: ANSWER_SECONDS,
    registers,
  })
  const announcements = new Counter({
    name: 'mailhatch_announcements_total',
    help: 'Announcements by outcome: stored, duplicate or refused.',
    labelNames: ['outcome'],
    registers,
  })
  const announcementFailures = new Counter({
    name: 'mailhatch_announcement_failures_total',
    help: 'Announcements that the API did not accept, by HTTP status; none when there was no response.',
    labelNames: ['status'],
    registers,
  })
  const setAside = new Counter({
    name: 'mailhatch_mails_set_aside_total',
    help: 'Mails set aside after three failures of their own.',
    registers,
  })
  const refusedRemoved = new Counter({
    name: 'mailhatch_refused_mails_removed_total',
    help: 'Refused mail deleted after REFUSED_MAIL_DAYS.',
    registers,
  })
  const attempts = new Counter({
    name: 'mailhatch_webhook_attempts_total',
    help: 'Webhook delivery attempts by outcome: delivered or failed.',
    labelNames: ['outcome'],
    registers,
  })
  const accepted = new Counter({
    name: 'mailhatch_smtp_messages_total',
    help: 'Messages accepted over SMTP, one per recipient.',
    registers,
  })
  const parsed = new Counter({
    name: 'mailhatch_mails_parsed_total',
    help: 'Parsed mail by result: complete, partial when a limit was reached, or failed. All are stored.',
    labelNames: ['parse'],
    registers,
  })
  const putSeconds = new Histogram({
    name: 'mailhatch_bucket_put_seconds',
    help: 'Time to store a mail durably.',
    buckets: PUT_SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'mailhatch_smtp_refusals_total',
    help: 'Mail refused over SMTP, by reply code.',
    labelNames: ['code'],
    registers,
  })

  return {
    answered({ method, route, status, seconds }: Answered): void {
      answers.inc({ method, route, status })
      if (seconds !== null) answerSeconds.observe({ route }, seconds)
    },
    announced: (outcome: 'stored' | 'duplicate' | 'refused') => announcements.inc({ outcome }),
    announcementFailed: (status: number | null) => announcementFailures.inc({ status: status ?? 'none' }),
    setAside: () => setAside.inc(),
    refusedRemoved: (count: number) => refusedRemoved.inc(count),
    attempted: (outcome: 'delivered' | 'failed') => attempts.inc({ outcome }),
    accepted: (messages: number) => accepted.inc(messages),
    parsed: (parse: string) => parsed.inc({ parse }),
    put: (seconds: number) => putSeconds.observe(seconds),
    refused: (code: number) => refusals.inc({ code }),
    /** Registers a gauge that is read at every scrape. */
    watch(name: string, help: string, read: () => number | Promise<number>): void {
      const collect = async () => gauge.set(await read())
      const gauge: Gauge = new Gauge({ name, help, registers, collect })
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}
