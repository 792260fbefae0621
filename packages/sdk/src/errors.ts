import type { ErrorBody } from './wire.ts'

/** The server answered with a refusal; `status`, `code` and `body` are as it sent them. */
export class MailhatchError extends Error {
  override readonly name: string = 'MailhatchError'
  readonly status: number
  readonly code: string
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.error)
    this.status = status
    this.code = body.code
    this.body = body
  }
}

/** No matching message came in time; `arrived` says what did come, and what each message lacked. */
export class MessageTimeoutError extends Error {
  override readonly name: string = 'MessageTimeoutError'
  readonly arrived: NonNullable<ErrorBody['arrived']>

  constructor(timeoutMs: number, query: string, arrived: NonNullable<ErrorBody['arrived']>) {
    const lines = arrived.map(({ to, subject, failed }) => `  to ${to}: ${subject} (other ${failed.join(', ')})`)
    const what = lines.length === 0 ? 'Nothing arrived.' : `What did arrive:\n${lines.join('\n')}`
    super(`No message matched ${query} within ${timeoutMs} ms. ${what}`)
    this.arrived = arrived
  }
}
