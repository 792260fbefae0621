import { commonRefusalFor } from '../answer-errors.ts'
import { AppError } from '../domain/errors.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'

/** What a client is told of an error. */
export function refusalFor(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isOutOfSpace(error)) return new AppError('storage_full', 'The server is out of disk space.')
  if (isDatabaseAway(error)) {
    const again = { headers: { 'retry-after': '1' } }
    return new AppError('database_unavailable', 'The database cannot be reached. Please ask again.', again)
  }
  return commonRefusalFor(error)
}

/** Codes of PostgreSQL: connection, too many connections, shut down or starting, cancelled by a limit of time. */
const POSTGRES_AWAY = /^(?:08...|53300|57P0[123]|57014|55P03|25P0[34])$/
const NETWORK_AWAY = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** What the driver says of its own connections has no code. */
const DRIVER_AWAY = /^Connection terminated|^timeout exceeded when trying|^Query read timeout|is not queryable$/

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return POSTGRES_AWAY.test(code) || NETWORK_AWAY.includes(code) || DRIVER_AWAY.test(error.message)
}
