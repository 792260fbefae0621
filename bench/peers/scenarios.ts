import { FRESH_DIGITS } from '../tasks/fresh-digits.ts'
import type { MailOptions } from '../tasks/mail.ts'

/** An address of its own for each number that replaces the digits. */
export const RECIPIENT = `u${FRESH_DIGITS}@mailhatch.test`
/** Different addresses of the load, in turn. */
export const RECIPIENTS = 1_000

export const LATEST_OF_ONE = 'latest of one address'
export const LATEST_OF_EACH = `latest of ${RECIPIENTS.toLocaleString('en-US')} addresses`
export const LATEST_UNDER_LOAD = `${LATEST_OF_EACH}, at half of the peak of mail`
export const SEARCH = 'search for a word of all mail'

export type Ingest = { name: string; mail: MailOptions; connections: number; reuse: boolean }

function ingest(
  name: string,
  sizeBytes: number,
  rest: { connections: number; reuse: boolean; hasAttachment?: true },
): Ingest {
  const { hasAttachment = false, ...connecting } = rest
  return { name, mail: { sizeBytes, recipient: RECIPIENT, hasAttachment }, ...connecting }
}

export const SMALL_REUSED = ingest('2 kB, 50 connections reused', 2_000, { connections: 50, reuse: true })

export const INGESTS = [
  SMALL_REUSED,
  ingest('2 kB, 10 connections reused', 2_000, { connections: 10, reuse: true }),
  ingest('2 kB, 1 connection reused', 2_000, { connections: 1, reuse: true }),
  ingest('2 kB, a connection for each mail, 10 at once', 2_000, { connections: 10, reuse: false }),
  ingest('50 kB, 10 connections reused', 50_000, { connections: 10, reuse: true }),
  ingest('1 MB with an attachment, 10 connections reused', 1_000_000, {
    connections: 10,
    reuse: true,
    hasAttachment: true,
  }),
]
