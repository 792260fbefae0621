import { printable } from './printable.ts'
import type { ErrorBody, NearMiss } from './wire.ts'

/**
 * Every failure of the client: `status`, `code`, `requestId` and `body` are as the server sent them, and `status` is 0
 * where no answer came.
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
  /** The server's log has it too. */
  readonly requestId: string
  readonly body: ErrorBody
  /** How long the server asks to wait before the next try; undefined where it does not. */
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

/** 404: it does not exist, or the key may not see it. */
export class NotFoundError extends MailhatchError {
  override readonly name: string = 'NotFoundError'
}

/** 409: it clashes with what there is. */
export class ConflictError extends MailhatchError {
  override readonly name: string = 'ConflictError'
}

/** 400 or 422: a value is not valid; `body.details` says which and why. */
export class ValidationError extends MailhatchError {
  override readonly name: string = 'ValidationError'
}

/** 429: too many requests; `retryAfterMs` says when to come back. */
export class RateLimitError extends MailhatchError {
  override readonly name: string = 'RateLimitError'
}

/** No answer: the server cannot be reached, hung up, or took too long; `cause` says more. */
export class ConnectionError extends MailhatchError {
  override readonly name: string = 'ConnectionError'

  constructor(message: string, cause?: unknown) {
    super(message, { ...withoutAnswer(message, 'connection_failed'), cause })
  }
}

/** No matching message came in time; `arrived` says what did come, and what each message lacked. */
export class MessageTimeoutError extends MailhatchError {
  override readonly name: string = 'MessageTimeoutError'
  readonly arrived: NearMiss[]

  constructor({ description, timeoutMs, arrived, cause }: TimedOut) {
    const message = `No message matched ${description} within ${timeoutMs} ms. ${sayArrived(arrived)}${sayCause(cause)}`
    super(message, { ...withoutAnswer(message, 'message_timeout'), cause })
    this.arrived = arrived
  }
}

export type TimedOut = { description: string; timeoutMs: number; arrived: NearMiss[]; cause?: unknown }

/** A message came although none should. */
export class UnexpectedMessageError extends MailhatchError {
  override readonly name: string = 'UnexpectedMessageError'

  constructor(message: string) {
    super(message, withoutAnswer(message, 'message_unexpected'))
  }
}

/** A message has no such code or link; the text of the error says what it has. */
export class ContentNotFoundError extends MailhatchError {
  override readonly name: string = 'ContentNotFoundError'

  constructor(message: string) {
    super(message, withoutAnswer(message, 'content_not_found'))
  }
}

const withoutAnswer = (error: string, code: string): Failure => ({ status: 0, body: { error, code, requestId: '' } })

function sayArrived(arrived: NearMiss[]): string {
  if (arrived.length === 0) {
    return 'Nothing arrived. Was the mail sent, and to this address? `rejections.list()` shows what was refused.'
  }
  const lines = arrived.map(
    ({ to, subject, failed }) => `  to ${printable(to)}: ${printable(subject)} (not matching: ${failed.join(', ')})`,
  )
  return `What did arrive:\n${lines.join('\n')}`
}

function sayCause(cause: unknown): string {
  return cause instanceof Error ? `\nThe last request failed: ${cause.message}` : ''
}
