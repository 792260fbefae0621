import { commonRefusalFor } from '../answer-errors.ts'
import { AppError, RETRY_SOON } from '../domain/errors.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import { DatabaseUnavailable, toDatabaseError } from '../store/postgres-errors.ts'

/** The refusal that a client gets for an error. */
export function refusalFor(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isOutOfSpace(error)) return new AppError('storage_full', 'The server is out of disk space.')
  if (toDatabaseError(error) instanceof DatabaseUnavailable) {
    return new AppError('database_unavailable', 'The database is unreachable. Please retry.', RETRY_SOON)
  }
  return commonRefusalFor(error)
}
