import { HostsFailed } from './postgres-hosts.ts'

const READ_ONLY = '25006'
const DISK_FULL = '53100'
const CONNECTION_EXCEPTION_CLASS = '08'
const SERVER_STOPS_OR_STARTS = ['57P01', '57P02', '57P03', '57P05']
/** Serialization failure or deadlock: nothing was done, and a retry may succeed. */
const RETRYABLE = ['40001', '40P01']

/** A statement waited too long for a lock, or for several together. */
const WAITED_TOO_LONG = ['55P03', '57014']

/**
 * The server cannot execute any statement now: connection (08), read-only (25006), idle transaction (25P03, 25P04),
 * access refused (28) or database missing (3D000) after a failover, repeated conflicts (40), out of connections or memory
 * (53), locks and timeouts (55P03, 57014), shutdown and start (57P), its disk (58).
 */
const UNAVAILABLE = /^(?:08...|25006|25P0[34]|28...|3D000|40001|40P01|53...|55P03|57014|57P0.|58...)$/
const NETWORK = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** The driver's own errors have no code. */
const DRIVER = /^Connection terminated|^timeout exceeded when trying|^Query read timeout|is not queryable$/

/** The database is temporarily unavailable. The same request may succeed later. */
export class DatabaseUnavailable extends Error {
  readonly isReadOnly: boolean

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'DatabaseUnavailable'
    this.isReadOnly = isReadOnly(cause)
  }
}

/** A standby, or a server that is being replaced: it refuses writes, and its rows may be outdated. */
export class DatabaseReadOnly extends Error {
  readonly code = READ_ONLY

  constructor() {
    super('The database is read-only.')
    this.name = 'DatabaseReadOnly'
  }
}

export function isReadOnly(error: unknown): boolean {
  if (error instanceof HostsFailed) return error.failures.every(({ cause }) => isReadOnly(cause))
  return codeOf(error) === READ_ONLY
}

/** The connection is lost, could not be opened or is unusable. The last statement may or may not have been executed. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof HostsFailed) return error.failures.some(({ cause }) => isConnectionLost(cause))
  // All connections are busy: a retry would only lengthen the queue.
  if (error instanceof Error && error.message === 'timeout exceeded when trying to connect') return false
  const code = codeOf(error)
  if (SERVER_STOPS_OR_STARTS.includes(code) || code.startsWith(CONNECTION_EXCEPTION_CLASS)) return true
  return isReadOnly(error) || !isFromServer(error)
}

/** The driver's errors have no severity. Not `instanceof`: a start on SQLite does not load the driver. */
function isFromServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.includes(codeOf(error))
}

/** Others hold a lock, or wait for one of ours. */
export function isLockConflict(error: unknown): boolean {
  if (error instanceof DatabaseUnavailable) return isLockConflict(error.cause)
  return WAITED_TOO_LONG.includes(codeOf(error)) || isRetryable(error)
}

/** Maps a full disk to the error of a local disk, and separates temporary errors from bugs. */
export function toDatabaseError(error: unknown): unknown {
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
