/**
 * Larger mail is not read. A server accepts 25 MiB by default, and a mail is in memory several times while it is sent.
 */
export const MAIL_BYTES_MAX = 128 * 1024 * 1024

export type StoredMail = {
  /** The file, and the place in it, for error messages. */
  path: string
  raw: Uint8Array
  /** The size in the store, for the progress. */
  bytes: number
  /** The sender and the recipients that the store knows; null if only the headers name them. */
  from: string | null
  to: string[] | null
  /** The id of the exported message; null for other mail. */
  id: string | null
}

/** A file or a part of it that cannot be imported. */
export type Unreadable = { path: string; bytes: number; problem: string }

export const TOO_LARGE = `larger than ${MAIL_BYTES_MAX / (1024 * 1024)} MiB`

/** The text of a failed system call or database call; other errors are bugs and are thrown. */
export function problemOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return error.message
  throw error
}
