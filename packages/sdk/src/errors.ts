import { printable } from './printable.ts'
import { describeAttempts } from './attempts-text.ts'
import type {
  ErrorBody,
  MessageSummary,
  NearMiss,
  Rejection,
  SettledState,
  SmtpAttempt,
  UnknownTransit,
} from './wire.ts'

/**
 * The base class of all errors of the client. `status`, `code`, `requestId` and `body` are from the server's response;
 * without a response, `status` is 0.
 *
 * @example
 * try {
 *   await mailhatch.mailboxes.create('admin')
 * } catch (error) {
 *   if (error instanceof MailhatchError && error.code === 'mailbox_reserved') console.log('Choose another name')
 *   else throw error
 * }
 */
export class MailhatchError extends Error {
  override readonly name: string = 'MailhatchError'
  readonly status: number
  readonly code: string
  /** Also in the server's log. */
  readonly requestId: string
  readonly body: ErrorBody
  /** The server's `Retry-After` in milliseconds; undefined if it sent none. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, { status, body, retryAfterMs, cause }: Failure) {
    super(message, { cause })
    this.status = status
    this.code = body.code
    this.requestId = body.requestId
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

export type Failure = { status: number; body: ErrorBody; retryAfterMs?: number | undefined; cause?: unknown }

/** 401: the key is missing, unknown or expired. */
export class AuthenticationError extends MailhatchError {
  override readonly name: string = 'AuthenticationError'
}

/** 403: the key may not do this, or the plan does not allow it. */
export class ForbiddenError extends MailhatchError {
  override readonly name: string = 'ForbiddenError'
}

/** 404: the resource does not exist, or the key may not read it. */
export class NotFoundError extends MailhatchError {
  override readonly name: string = 'NotFoundError'
}

/** 409: conflicts with an existing resource. */
export class ConflictError extends MailhatchError {
  override readonly name: string = 'ConflictError'
}

/** 400 or 422: a value is not valid; `body.details` says which and why. */
export class ValidationError extends MailhatchError {
  override readonly name: string = 'ValidationError'
}

/** 429: too many requests; `retryAfterMs` says when to retry. */
export class RateLimitError extends MailhatchError {
  override readonly name: string = 'RateLimitError'
}

/** No response: the server is unreachable, closed the connection or timed out. `cause` has the reason. */
export class ConnectionError extends MailhatchError {
  override readonly name: string = 'ConnectionError'

  constructor(message: string, cause?: unknown) {
    super(message, { ...withoutResponse(message, 'connection_failed'), cause })
  }
}

/**
 * No matching message arrived in time. `arrived` has the messages that did, each with its failed conditions; `refused` has
 * recently refused mail, null if the key may not see it; `attempts` has what a sender tried with an address that has a tag, in order
 * of time; `page` is the URL of the dashboard's page with the mail of the
 * address, null if the match has no address.
 */
export class MessageTimeoutError extends MailhatchError {
  override readonly name: string = 'MessageTimeoutError'
  readonly timeoutMs: number
  readonly arrived: NearMiss[]
  readonly refused: Rejection[] | null
  readonly attempts: SmtpAttempt[]
  readonly page: string | null

  constructor({ description, timeoutMs, arrived, refused = null, attempts = [], page = null, cause }: TimedOut) {
    const message = [
      `No message matched ${description} within ${timeoutMs} ms. ${arrivedText(arrived)}`,
      ...attemptLines(attempts),
      ...refusedLines(refused, arrived.length),
      ...(page === null ? [] : [`Its mail in the dashboard: ${page}`]),
      ...causeLines(cause),
    ].join('\n')
    super(message, { ...withoutResponse(message, 'message_timeout'), cause })
    this.timeoutMs = timeoutMs
    this.arrived = arrived
    this.refused = refused
    this.attempts = attempts
    this.page = page
  }
}

/** What happened instead of the wanted message. */
export type Explanation = {
  arrived: NearMiss[]
  refused: Rejection[] | null
  attempts: SmtpAttempt[]
  page: string | null
}

export type TimedOut = Pick<Explanation, 'arrived'> &
  Partial<Explanation> & { description: string; timeoutMs: number; cause?: unknown }

/** A message arrived that should not have. */
export class UnexpectedMessageError extends MailhatchError {
  override readonly name: string = 'UnexpectedMessageError'

  constructor(message: string) {
    super(message, withoutResponse(message, 'message_unexpected'))
  }
}

type Came = Pick<MessageSummary, 'subject' | 'from' | 'to' | 'receivedAt'>

/** More or fewer messages arrived than expected. `messages` are those that did, in order of arrival. */
export class MessageCountError extends MailhatchError {
  override readonly name: string = 'MessageCountError'
  readonly messages: Came[]

  constructor(expectation: string, messages: Came[], cause?: unknown) {
    const message = [`Expected ${expectation}. ${cameText(messages)}`, ...causeLines(cause)].join('\n')
    super(message, { ...withoutResponse(message, 'message_count'), cause })
    this.messages = messages
  }
}

/** Mail was still on its way when the time was over, or it is unknown whether it was. `state` is the last response of the server. */
export class NotSettledError extends MailhatchError {
  override readonly name: string = 'NotSettledError'
  readonly state: SettledState | null

  constructor({ address, timeoutMs, state, cause }: NotSettled) {
    const message = [
      `It is not certain that all mail for ${address} arrived within ${timeoutMs} ms.${pendingText(state)}`,
      ...(state === null ? [] : [cameText(state.messages)]),
      ...causeLines(cause),
    ].join('\n')
    super(message, { ...withoutResponse(message, 'not_settled'), cause })
    this.state = state
  }
}

type NotSettled = { address: string; timeoutMs: number; state: SettledState | null; cause?: unknown }

/** The message has no such code or link. The error message lists what it has. */
export class ContentNotFoundError extends MailhatchError {
  override readonly name: string = 'ContentNotFoundError'

  constructor(message: string) {
    super(message, withoutResponse(message, 'content_not_found'))
  }
}

const withoutResponse = (error: string, code: string): Failure => ({ status: 0, body: { error, code, requestId: '' } })

const UNKNOWN: Record<UnknownTransit['reason'], string> = {
  worker_silent: 'a worker does not respond',
  worker_searching: 'a worker still searches the mail of its last run',
  worker_unasked: 'a worker cannot be asked',
  no_worker: 'no worker is known',
  starting: 'the server has just started',
  replicas_unreachable: 'the server does not reach its replicas',
}

function pendingText(state: SettledState | null): string {
  if (state === null) return ''
  const { transactions, waiting, announcing } = state.onItsWay
  const pending = [
    [transactions, 'in open SMTP transactions'],
    [waiting, 'waiting to be announced'],
    [announcing, 'being announced'],
  ]
    .filter(([count]) => count !== 0)
    .map(([count, stage]) => `${count} ${stage}`)
  const unknown = state.unknown.map(({ worker, reason }) => UNKNOWN[reason] + (worker === null ? '' : ` (${worker})`))
  const parts = [...(pending.length === 0 ? [] : [`mail on its way: ${pending.join(', ')}`]), ...unknown]
  return parts.length === 0 ? ' Messages kept coming.' : ` The server reports: ${parts.join('; ')}.`
}

function cameText(messages: Came[]): string {
  if (messages.length === 0) return 'Nothing arrived. Was the mail sent, and to this address?'
  const lines = messages.map(
    ({ to, from, subject, receivedAt }) =>
      `  ${receivedAt} to ${printable(to)} from ${printable(from)}: ${printable(subject)}`,
  )
  return `What did arrive:\n${lines.join('\n')}`
}

function arrivedText(arrived: NearMiss[]): string {
  if (arrived.length === 0) return 'Nothing arrived. Was the mail sent, and to this address?'
  const lines = arrived.map(
    ({ to, subject, failed }) => `  to ${printable(to)}: ${printable(subject)} (not matching: ${failed.join(', ')})`,
  )
  return `What did arrive:\n${lines.join('\n')}`
}

function attemptLines(attempts: SmtpAttempt[]): string[] {
  const text = describeAttempts(attempts)
  return text === null ? [] : [`What was tried with ${printable(attempts[0]!.to)}: ${text}.`]
}

/** What helps against a refusal, by its code. */
const REMEDIES: Record<string, string> = {
  mailbox_unknown: 'Create the mailbox, or send to an existing one.',
}

/** Mail that no message became of. Mail for a domain that no team has is accepted and kept, so it is not called refused. */
function refusedLines(refused: Rejection[] | null, arrivedCount: number): string[] {
  if (refused === null) return arrivedCount > 0 ? [] : ['With an `api.full` key, this error also lists refused mail.']
  const kept = refused.filter(({ code }) => code === 'inbox_domain_unknown')
  const others = refused.filter((one) => !kept.includes(one))
  return [
    ...withHeading(
      'Mail of the last minutes to domains that no team has. It is in the dashboard under “Other addresses”. Send to an address on your team’s domain, catch the domain there, or start the server with `serve --catch-all`:',
      kept.map(envelopeText),
    ),
    ...withHeading(
      'Mail that was refused in the last minutes:',
      others.map(
        (one) => `${envelopeText(one)}: ${[printable(one.reason), REMEDIES[one.code]].filter(Boolean).join('. ')}`,
      ),
    ),
  ]
}

function envelopeText({ to, from }: Rejection): string {
  return `to ${printable(to) || '(unknown)'} from ${printable(from) || '(unknown)'}`
}

function withHeading(heading: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `  ${line}`)]
}

function causeLines(cause: unknown): string[] {
  return cause instanceof Error ? [`The last request failed: ${cause.message}`] : []
}
