/** The values of a label, or a sentence about them if they are listed elsewhere. Always few: no team, mailbox or address. */
type Labels = Record<string, readonly string[] | string>

/** `of` is the program that serves it. The all-in-one program serves all. */
type Common = { of: 'api' | 'worker' | 'both'; help: string; labels?: Labels }
export type MetricDeclaration =
  | (Common & { type: 'counter' })
  | (Common & { type: 'gauge' })
  | (Common & { type: 'histogram'; buckets: readonly number[] })

/** From a response out of memory to one page of a large search. */
const RESPONSE_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** From a fast disk to remote storage after three attempts. */
const PUT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30]
/** From a disk with a protected cache to one that is failing. */
const SYNC_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]
/** From a short text to the limit of a thread. */
const PARSE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 5, 30]
/** From a commit of SQLite to the limit of intake, 8 s. */
const INTAKE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 8]
/** From one commit to an outage of the API. */
const READABLE_SECONDS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600]
/** From the first attempt to the last retry. */
const DELIVERY_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 1800, 7200, 43_200, 172_800]

/** Every metric of our own. The page docs/operate/monitoring.md is generated from it. */
export const METRICS = {
  mailhatch_smtp_messages_total: {
    type: 'counter',
    of: 'worker',
    help: 'Messages accepted over SMTP, one per recipient.',
  },
  mailhatch_smtp_refusals_total: {
    type: 'counter',
    of: 'worker',
    help: 'Mail and connections refused over SMTP, by reply code and reason.',
    labels: { code: 'the code of the SMTP reply', reason: 'the name of the reply, such as `mail_too_big`' },
  },
  mailhatch_attempts_dropped_total: {
    type: 'counter',
    of: 'worker',
    help: 'SMTP attempts that are missing in the ledger, because the API did not take them. Their mail is not affected.',
  },
  mailhatch_smtp_connections: { type: 'gauge', of: 'worker', help: 'Open SMTP connections.' },
  mailhatch_parse_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    help: 'Time to parse a mail, by outcome: complete, partial when a limit was reached, or failed. All are stored.',
    labels: { outcome: ['complete', 'partial', 'failed'] },
    buckets: PARSE_SECONDS,
  },
  mailhatch_bucket_put_duration_seconds: {
    type: 'histogram',
    of: 'worker',
    help: 'Time to store a mail durably in the bucket.',
    buckets: PUT_SECONDS,
  },
  mailhatch_sync_duration_seconds: {
    type: 'histogram',
    of: 'both',
    help: 'Time of a commit of SQLite, or of a sync of a file in the folder of the bucket. Not with PostgreSQL and S3.',
    labels: { target: ['database', 'bucket'] },
    buckets: SYNC_SECONDS,
  },
  mailhatch_acceptance_to_readable_seconds: {
    type: 'histogram',
    of: 'worker',
    help: 'Time from the receipt of a mail until the API confirmed that its message can be read.',
    buckets: READABLE_SECONDS,
  },
  mailhatch_announcements_waiting: { type: 'gauge', of: 'worker', help: 'Stored mail waiting to be announced.' },
  mailhatch_announcements_oldest_seconds: {
    type: 'gauge',
    of: 'worker',
    help: 'Age of the oldest mail that is not announced yet; 0 when none is waiting.',
  },
  mailhatch_announcements_not_reaching: {
    type: 'gauge',
    of: 'worker',
    help: '1 while announcements do not reach the API, else 0.',
  },
  mailhatch_announcement_failures_total: {
    type: 'counter',
    of: 'worker',
    help: 'Announcements that the API did not accept, by HTTP status; none when there was no response.',
    labels: { status: 'an HTTP status, or `none`' },
  },
  mailhatch_mails_set_aside_total: {
    type: 'counter',
    of: 'worker',
    help: 'Mail set aside after three failures of its own.',
  },
  mailhatch_set_aside_mails: { type: 'gauge', of: 'worker', help: 'Mail that is set aside, known to this worker.' },
  mailhatch_refused_mails_removed_total: {
    type: 'counter',
    of: 'worker',
    help: 'Refused mail deleted after REFUSED_MAIL_DAYS.',
  },
  mailhatch_disk_free_bytes: { type: 'gauge', of: 'worker', help: 'Free space on the fullest disk in use.' },
  mailhatch_bucket_size_bytes: {
    type: 'gauge',
    of: 'worker',
    help: 'Size of the embedded bucket on disk. Not with a folder or S3.',
  },
  mailhatch_announcements_total: {
    type: 'counter',
    of: 'api',
    help: 'Announcements by outcome: stored, duplicate, refused, or failed because of an error of the API or its database.',
    labels: { outcome: ['stored', 'duplicate', 'refused', 'failed'] },
  },
  mailhatch_intake_refusals_total: {
    type: 'counter',
    of: 'api',
    help: 'Announcements that intake refused, by error code.',
    labels: { reason: 'an error code, such as `mailbox_unknown`' },
  },
  mailhatch_intake_duration_seconds: {
    type: 'histogram',
    of: 'api',
    help: 'Time to turn an announcement into a stored message, or to refuse it.',
    buckets: INTAKE_SECONDS,
  },
  mailhatch_waits_held: { type: 'gauge', of: 'api', help: 'Waits held by this process.' },
  mailhatch_streams_open: { type: 'gauge', of: 'api', help: 'Live streams open in this process.' },
  mailhatch_http_requests_total: {
    type: 'counter',
    of: 'api',
    help: 'Requests to the API that have a response.',
    labels: { method: 'the HTTP method', route: 'the pattern of the route', status: 'an HTTP status' },
  },
  mailhatch_http_request_duration_seconds: {
    type: 'histogram',
    of: 'api',
    help: 'Time until a response of the API began, without held waits.',
    labels: { route: 'the pattern of the route' },
    buckets: RESPONSE_SECONDS,
  },
  mailhatch_webhook_attempts_total: {
    type: 'counter',
    of: 'api',
    help: 'Webhook delivery attempts by outcome: delivered or failed.',
    labels: { outcome: ['delivered', 'failed'] },
  },
  mailhatch_webhook_deliveries_total: {
    type: 'counter',
    of: 'api',
    help: 'Webhook deliveries that ended with an attempt: delivered, or failed after the last one.',
    labels: { outcome: ['delivered', 'failed'] },
  },
  mailhatch_webhook_delivery_age_seconds: {
    type: 'histogram',
    of: 'api',
    help: 'Age of a webhook delivery when its endpoint accepted it, since its message was stored. Without replays.',
    buckets: DELIVERY_SECONDS,
  },
  mailhatch_webhook_oldest_due_seconds: {
    type: 'gauge',
    of: 'api',
    help: 'For how long the first webhook delivery has been due and not sent; 0 when none is due.',
  },
  mailhatch_database_size_bytes: {
    type: 'gauge',
    of: 'api',
    help: 'Size of the database on disk. On PostgreSQL as of at most a minute ago; of a cluster, only the coordinator.',
  },
  mailhatch_overloaded: {
    type: 'gauge',
    of: 'both',
    help: '1 while the process is overloaded and refuses new work, else 0.',
  },
} as const satisfies Record<string, MetricDeclaration>

export type MetricName = keyof typeof METRICS
type NameOf<Type extends string> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never
}[MetricName]
export type CounterName = NameOf<'counter'>
export type GaugeName = NameOf<'gauge'>
export type HistogramName = NameOf<'histogram'>
