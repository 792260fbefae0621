import type { ErrorBody } from './wire.ts'

/** The server answered with a refusal; `status`, `code` and `body` are as it sent them. */
export class MailhatchError extends Error {
  override readonly name: string = 'MailhatchError'
  readonly status: number
  readonly code: string
  readonly body: ErrorBody
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number

  constructor({ status, statusText, headers }: Response, text: string) {
    const body = readBody(text) ?? { error: `${status} ${statusText}`, code: 'unknown', requestId: '' }
    super(body.error)
    this.status = status
    this.code = body.code
    this.body = body
    this.retryAfterMs = Number(headers.get('retry-after') ?? 1) * 1000
  }
}

/** Null when something else than Mailhatch answered, a proxy for example. */
function readBody(text: string): ErrorBody | null {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null && 'code' in body ? (body as ErrorBody) : null
  } catch {
    return null
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
