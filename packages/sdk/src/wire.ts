// The JSON shapes of the API. Every key is always present.

export type Header = { name: string; value: string }

/** An address of a header such as Cc, with its display name. */
export type MailAddress = { address: string; name: string | null }

export type MessageSummary = {
  id: string
  mailboxId: string
  mailbox: string
  mailboxWithTag: string
  tag: string | null
  from: string
  fromName: string | null
  to: string
  subject: string
  receivedAt: string
  cursor: string
  attachmentCount: number
  size: number | null
}

export type MessageDetail = MessageSummary & {
  /** All addresses of the To header; `to` is the recipient of this copy. */
  toAll: MailAddress[]
  cc: MailAddress[]
  replyTo: MailAddress[]
  /** Time of the Date header; null if it is missing or not a date. `receivedAt` is when the mail arrived. */
  date: string | null
  headers: Header[]
  htmlContent: string | null
  textContent: string | null
  domain: string
  tenantSubdomain: string | null
  codes: Code[]
  links: Link[]
  attachments: Attachment[]
  envelope: Envelope | null
  timings: { receivedAt: string; storedAt: string }
  parse: ParseState
}

/** A one-time code found in a message. `confidence` is between 0 and 1. */
export type Code = { value: string; confidence: number; context: string }

export type LinkKind = 'verify' | 'reset' | 'magic' | 'unsubscribe' | 'other'
export type Link = { url: string; text: string; kind: LinkKind }

export type Attachment = {
  index: number
  filename: string | null
  contentType: string
  size: number
  contentId: string | null
  inline: boolean
}

/** The SMTP envelope; `null` for messages announced without one. */
export type Envelope = {
  mailFrom: string
  rcptTo: string
  helo: string | null
  remoteAddress: string | null
  tls: boolean
  receivedVia: string
}

/** `partial`: a limit cut something off; `failed`: only the raw mail is available. */
export type ParseState = 'complete' | 'partial' | 'failed'

export type Scope = 'api.full' | 'email.full' | 'email.mailbox'

export type Me = {
  team: { id: string; name: string; plan: string; retentionDays: number | null; domain: string }
  key: { id: string; name: string; scopes: Scope[]; mailbox: string | null }
  messageCount: number
  cursor: string
}

export type Mailbox = {
  id: string
  name: string
  domain: string
  address: string
  createdAt: string
  updatedAt: string
}

/** A key as listed. The key itself is shown only once, when it is created. */
export type ApiKey = {
  id: string
  name: string
  keyMasked: string
  scopes: Scope[]
  mailboxName: string | null
  expiresAt: string | null
}

/** A message that arrived but did not match, with the parameters that failed. */
export type NearMiss = MessageSummary & { failed: string[] }

export type ErrorBody = {
  error: string
  code: string
  requestId: string
  details?: Record<string, string[]>
  cursor?: string
  arrived?: NearMiss[]
  /** Only for keys with `api.full`. */
  refused?: Rejection[]
}

/** A rejected mail. `code` is an error code of the API, or the status of an SMTP reply. */
export type Rejection = { at: string; from: string; to: string; code: string; reason: string }

/** A URL that receives an event for each new message. Its secret is shown only once, when it is created. */
export type WebhookEndpoint = {
  id: string
  url: string
  description: string | null
  secretMasked: string
  events: 'email.received'[]
  mailbox: string | null
  tag: string | null
  active: boolean
  disabledReason: string | null
  createdAt: string
  updatedAt: string
}

/** One event for one endpoint, with the result of the last attempt. */
export type WebhookDelivery = {
  id: string
  event: string
  messageId: string | null
  status: 'pending' | 'success' | 'failed'
  httpStatus: number | null
  responseBody: string | null
  latencyMs: number | null
  attempt: number
  nextAttemptAt: string | null
  error: string | null
  createdAt: string
}

/** Where in the SMTP dialogue a step of a scenario acts: at RCPT, at DATA, or when the mail has been sent. */
export type ScenarioStage = 'rcpt' | 'data' | 'after-data'

/**
 * What happens to the next mail for the address. `times`: for how many mails, 1 by default; for `limit`, how many it refuses. The
 * last step stays. Durations are in milliseconds.
 */
export type ScenarioStep =
  | { do: 'accept'; times?: number | undefined }
  | {
      do: 'reject'
      at?: ScenarioStage | undefined
      code: number
      enhanced?: string | undefined
      text?: string | undefined
      times?: number | undefined
    }
  | { do: 'delay'; at?: ScenarioStage | undefined; ms: number; times?: number | undefined }
  | { do: 'greylist'; ms: number }
  | { do: 'limit'; count: number; ms: number; times?: number | undefined }
  | {
      do: 'cut'
      at?: ScenarioStage | undefined
      afterBytes?: number | undefined
      isStored?: boolean | undefined
      times?: number | undefined
    }
  | { do: 'slow'; bytesPerSecond: number; times?: number | undefined }

/** A script for the mail to an address. */
export type Scenario = {
  id: string
  to: string
  match: 'exact' | 'prefix'
  steps: ScenarioStep[]
  /** The step that the next mail gets, counted from 0, and how often it was used. */
  nextStep: number
  timesUsed: number
  /** How many mails have got a step. */
  mails: number
  /** Of these, how many each step has got. */
  mailsPerStep: number[]
  createdAt: string
  expiresAt: string
}

/** A reply of the server in an attempt, without its code in `text`. */
export type SmtpAttemptReply = { stage: ScenarioStage; code: number; text: string }

/** One SMTP transaction for one recipient. */
export type SmtpAttempt = {
  id: string
  /** The recipient, as the sender wrote it. */
  to: string
  /** The sender of the envelope; empty for bounces. */
  from: string
  /** When the sender named the recipient. */
  startedAt: string
  endedAt: string
  /**
   * `cut`: by a scenario. `closed`: the client closed the connection. `abandoned`: the client gave up with QUIT, RSET or EHLO.
   * `timed-out`: the client was too slow. `shut-down`: the server was stopped.
   */
  outcome: 'accepted' | 'refused' | 'cut' | 'closed' | 'abandoned' | 'timed-out' | 'shut-down'
  /** How far it came. */
  stage: ScenarioStage
  replies: SmtpAttemptReply[]
  /** How many bytes of the mail were received. */
  size: number
  /** The version of TLS, such as `TLSv1.3`; null without TLS. */
  tls: string | null
  authenticated: boolean
  helo: string | null
  remoteAddress: string | null
  /** The same for all attempts on one connection. */
  connection: string
  /** The message, if the mail was stored. */
  messageId: string | null
}

/**
 * What the server cannot know about mail that is on its way, and why: a worker does not respond (`worker_silent`) or searches the mail
 * of its last run (`worker_searching`); a worker announces mail but cannot be asked, such as the one on Cloudflare (`worker_unasked`);
 * no worker is known (`no_worker`); the server has just started (`starting`), or does not reach its replicas (`replicas_unreachable`).
 */
export type UnknownTransit = {
  /** Its id; null if it has none. */
  worker: string | null
  reason: 'worker_silent' | 'worker_searching' | 'worker_unasked' | 'no_worker' | 'starting' | 'replicas_unreachable'
}

/** Whether all mail for an address has arrived. */
export type SettledState = {
  settled: boolean
  /** All mail that had reached the mail server by then, at RCPT, was looked at. */
  asOf: string
  /** How many messages came after the cursor. A lower bound if `isExact` is false. */
  count: number
  isExact: boolean
  /** The first of them, in order of arrival. */
  messages: MessageSummary[]
  /** Mail that is no message yet: in open SMTP transactions, waiting to be announced, and announced but not confirmed. */
  onItsWay: { transactions: number; waiting: number; announcing: number }
  /** Mail that failed because of its content, and is not on its way. An operator can announce it again. */
  setAside: number
  unknown: UnknownTransit[]
}

/** The worker's post to `/webhooks/inbox`. Only our own worker sends the last four keys. */
export type Announcement = {
  event: 'email.received'
  id: string
  domain: string
  tenantSubdomain: string | null
  mailbox: string
  mailboxWithTag: string
  tag: string | null
  from: string
  to: string
  subject: string
  receivedAt: string
  headers: Header[]
  rawContent: string
  plainContent: string
  attachments?: Attachment[]
  size?: number
  envelope?: Envelope
  parse?: ParseState
}

/** The response of `/webhooks/inbox`. A message is stored once, however often it is announced. */
export type IntakeAnswer = { ok: true; status: 'stored' | 'duplicate'; inboxMessageId: string }
