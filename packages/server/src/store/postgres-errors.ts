import pg from 'pg'

const READ_ONLY = '25006'
const DISK_FULL = '53100'
const CONNECTION_EXCEPTION_CLASS = '08'
const SERVER_ENDS_OR_STARTS = ['57P01', '57P02', '57P03', '57P05']
/** Serialization failure, deadlock: nothing was done, and the next try may well succeed. */
const TRY_AGAIN = ['40001', '40P01']

/**
 * The server cannot do its work now, whatever it is asked: connection (08), read-only (25006), a transaction that
 * stood still (25P03, 25P04), access refused (28) or database missing (3D000) after a fail-over, a conflict that every
 * try met (40), out of connections or memory (53), locks and time limits (55P03, 57014), shutdown and start (57P), its disk (58).
 */
const UNAVAILABLE = /^(?:08...|25006|25P0[34]|28...|3D000|40001|40P01|53...|55P03|57014|57P0.|58...)$/
const NETWORK = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** What the driver says of its own connections has no code. */
const DRIVER = /^Connection terminated|^timeout exceeded when trying|^Query read timeout|is not queryable$/

/** The database cannot be used now; the same request may well succeed later. */
export class DatabaseUnavailable extends Error {
  readonly isReadOnly: boolean

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'DatabaseUnavailable'
    this.isReadOnly = isReadOnly(cause)
  }
}

/** A standby, or a server that is being replaced: what it is asked to write it refuses, what it shows may be old. */
export class DatabaseReadOnly extends Error {
  readonly code = READ_ONLY

  constructor() {
    super('The database is read-only.')
    this.name = 'DatabaseReadOnly'
  }
}

export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY
}

/** The connection is gone, could not be had, or is of no use; what it was asked last may have been done or not. */
export function isConnectionLost(error: unknown): boolean {
  // All connections are busy: asking again would only lengthen the queue.
  if (error instanceof Error && error.message === 'timeout exceeded when trying to connect') return false
  const code = codeOf(error)
  if (SERVER_ENDS_OR_STARTS.includes(code) || code.startsWith(CONNECTION_EXCEPTION_CLASS)) return true
  // Everything else that the server says comes with a code of five characters.
  return isReadOnly(error) || !(error instanceof pg.DatabaseError)
}

export function isWorthAnotherTry(error: unknown): boolean {
  return TRY_AGAIN.includes(codeOf(error))
}

/** Out of room is said as our own disk says it; what may pass is told apart from what is a bug. */
export function explained(error: unknown): unknown {
  const code = codeOf(error)
  if (code === DISK_FULL) {
    return Object.assign(new Error('The database is out of disk space.', { cause: error }), { code: 'ENOSPC' })
  }
  const isUnavailable =
    UNAVAILABLE.test(code) || NETWORK.includes(code) || (error instanceof Error && DRIVER.test(error.message))
  return isUnavailable && !(error instanceof DatabaseUnavailable) ? new DatabaseUnavailable(error) : error
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
