import { MailhatchError } from './errors.ts'

export type Result<Data> =
  | { data: Data; error: null }
  | { data: null; error: { message: string; status: number; code: string; requestId: string; cause: MailhatchError } }

/**
 * Returns errors of Mailhatch as values. Other errors are still thrown.
 *
 * @example
 * const { data: mail, error } = await toResult(mailhatch.messages.latest({ mailbox: 'qa' }))
 * if (error) console.log(error.status, error.message)
 * else console.log(mail.subject)
 */
export async function toResult<Data>(promise: PromiseLike<Data>): Promise<Result<Data>> {
  try {
    return { data: await promise, error: null }
  } catch (cause) {
    if (!(cause instanceof MailhatchError)) throw cause
    const { message, status, code, requestId } = cause
    return { data: null, error: { message, status, code, requestId, cause } }
  }
}
