import { arrivedText, attemptLines, causeLines, pendingText, refusedLines, type Came } from './error-texts.ts'
import type { ErrorBody, NearMiss, Rejection, SettledState, SmtpAttempt } from './wire.ts'

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
 * address, null if the match has no address; `state` says whether mail for the address was on its way, null if that is unknown.
 */
export class MessageTimeoutError extends MailhatchError {
  override readonly name: string = 'MessageTimeoutError'
  readonly timeoutMs: number
  readonly arrived: NearMiss[]
  readonly refused: Rejection[] | null
  readonly attempts: SmtpAttempt[]
  readonly page: string | null
  readonly state: SettledState | null

  constructor(given: TimedOut) {
    const { description, timeoutMs, arrived, refused = null, attempts = [], page = null, state = null, cause } = given
    const time = Math.round(timeoutMs)
    const message = [
      `No message matched ${description} within ${time} ms. ${instead({ ...given, came: [] })}`,
      ...(page === null ? [] : [`Its mail in the dashboard: ${page}`]),
      ...causeLines(cause),
    ].join('\n')
    super(message, { ...withoutResponse(message, 'message_timeout'), cause })
    this.state = state
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
  /** Of the mail for the address. Null if it is unknown. */
  state: SettledState | null
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

const NOTHING_ELSE = { attempts: [], refused: [], state: null }

/**
 * More or fewer messages arrived than expected. `messages` are those that matched, in order of arrival. Of too few, `timedOut` says
 * what came instead.
 */
export class MessageCountError extends MailhatchError {
  override readonly name: string = 'MessageCountError'
  readonly messages: Came[]

  constructor(expectation: string, messages: (Came & { id: string })[], timedOut?: MessageTimeoutError) {
    const ids = messages.map(({ id }) => id)
    const arrived = (timedOut?.arrived ?? []).filter(({ id }) => !ids.includes(id))
    const cause = timedOut?.cause
    const { attempts, refused, state } = timedOut ?? NOTHING_ELSE
    const text = instead({ came: messages, arrived, attempts, refused, state })
    const message = [`Expected ${expectation}. ${text}`, ...causeLines(cause)].join('\n')
    super(message, { ...withoutResponse(message, 'message_count'), cause })
    this.messages = messages
  }
}

/** Mail was still on its way when the time was over, or it is unknown whether it was. `state` is the last response of the server. */
export class NotSettledError extends MailhatchError {
  override readonly name: string = 'NotSettledError'
  readonly state: SettledState | null

  constructor({ address, timeoutMs, state, expectation, cause }: NotSettled) {
    const begin = expectation === undefined ? 'It is' : `Expected ${expectation}, but it is`
    const keptComing = state !== null && state.messages.length > 0 ? 'Messages kept coming.' : ''
    const message = [
      `${begin} not certain that all mail for ${address} arrived within ${Math.round(timeoutMs)} ms. ${pendingText(state) || keptComing}`.trim(),
      ...(state === null ? [] : [arrivedText({ came: state.messages, arrived: [], isCertain: false })]),
      ...causeLines(cause),
    ].join('\n')
    super(message, { ...withoutResponse(message, 'not_settled'), cause })
    this.state = state
  }
}

type NotSettled = {
  address: string
  timeoutMs: number
  state: SettledState | null
  /** What was to arrive. */
  expectation?: string | undefined
  cause?: unknown
}

/** The message has no such code or link. The error message lists what it has. */
export class ContentNotFoundError extends MailhatchError {
  override readonly name: string = 'ContentNotFoundError'

  constructor(message: string) {
    super(message, withoutResponse(message, 'content_not_found'))
  }
}

const withoutResponse = (error: string, code: string): Failure => ({ status: 0, body: { error, code, requestId: '' } })

/** What came, was tried and was refused instead. */
function instead({ came, arrived, attempts = [], refused = null, state = null }: Instead): string {
  const isCertain = state?.settled !== false
  return [
    arrivedText({ came, arrived, isCertain }),
    ...(isCertain ? [] : [pendingText(state)]),
    ...attemptLines(attempts),
    ...(isCertain || refused !== null ? refusedLines(refused, came.length + arrived.length) : []),
  ].join('\n')
}

type Instead = Partial<Omit<Explanation, 'arrived'>> & { came: Came[]; arrived: NearMiss[] }
