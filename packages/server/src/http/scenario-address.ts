import { parseRecipient } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'

/** RFC 5321, section 4.5.3.1.1, in bytes. */
const LOCAL_PART_MAX = 64

/** Throws a 400 for a text that is no address. One of another team is a 404 instead. */
export function requireAddress(to: string): void {
  if (parseRecipient(to)) return
  const at = to.lastIndexOf('@')
  const isTooLong = Buffer.byteLength(to.slice(0, Math.max(at, 0)).trim()) > LOCAL_PART_MAX
  const problem = isTooLong
    ? `must have at most ${LOCAL_PART_MAX} bytes before the @`
    : 'must be an address, such as qa+signup@mailhatch.test'
  throw new AppError('validation_failed', 'The body is not valid.', { details: { to: [problem] } })
}
