import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

/** From an answer out of memory to a page of a large search. */
const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** From a quick disk to a storage far away that was asked three times. */
const PUT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]

/** `seconds` is null where the client asked for the answer to be held. */
export type Answered = { method: string; route: string; status: number; seconds: number | null }

export type Meters = ReturnType<typeof createMeters>

/** What a running program counts of itself, for Prometheus: numbers only, no team, mailbox or address is named. */
export function createMeters() {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })

  const answers = new Counter({
    name: 'mailhatch_http_answers_total',
    help: 'Requests answered by the API.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const answerSeconds = new Histogram({
    name: 'mailhatch_http_answer_seconds',
    help: 'Time until an answer of the API began; held waits are left out.',
    labelNames: ['route'],
    buckets: ANSWER_SECONDS,
    registers,
  })
  const announcements = new Counter({
    name: 'mailhatch_announcements_total',
    help: 'Announcements of mail: stored, known already (duplicate), or refused.',
    labelNames: ['outcome'],
    registers,
  })
  const announcementFailures = new Counter({
    name: 'mailhatch_announcement_failures_total',
    help: 'Announcements of the worker that the API did not take, by HTTP status; none where no answer came.',
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
    help: 'Refused mails removed after REFUSED_MAIL_DAYS.',
    registers,
  })
  const attempts = new Counter({
    name: 'mailhatch_webhook_attempts_total',
    help: 'Attempts to deliver a webhook: delivered or failed.',
    labelNames: ['outcome'],
    registers,
  })
  const accepted = new Counter({
    name: 'mailhatch_smtp_messages_total',
    help: 'Messages accepted by SMTP, one for each recipient of a mail.',
    registers,
  })
  const parsed = new Counter({
    name: 'mailhatch_mails_parsed_total',
    help: 'Mails parsed: complete, partial where a limit was reached, or failed; all of them are kept.',
    labelNames: ['parse'],
    registers,
  })
  const putSeconds = new Histogram({
    name: 'mailhatch_bucket_put_seconds',
    help: 'Time until a mail was on the disk, or in the storage.',
    buckets: PUT_SECONDS,
    registers,
  })
  const refusals = new Counter({
    name: 'mailhatch_smtp_refusals_total',
    help: 'Refusals of mail by SMTP, by reply code.',
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
    refusedRemoved: (mails: number) => refusedRemoved.inc(mails),
    attempted: (outcome: 'delivered' | 'failed') => attempts.inc({ outcome }),
    accepted: (messages: number) => accepted.inc(messages),
    parsed: (parse: string) => parsed.inc({ parse }),
    put: (seconds: number) => putSeconds.observe(seconds),
    refused: (code: number) => refusals.inc({ code }),
    /** A number that is read whenever somebody asks for all of them. */
    watch(name: string, help: string, read: () => number | Promise<number>): void {
      const collect = async () => gauge.set(await read())
      const gauge: Gauge = new Gauge({ name, help, registers, collect })
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}
