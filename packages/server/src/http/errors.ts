import { commonRefusalFor } from '../answer-errors.ts'
import { AppError } from '../domain/errors.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import { DatabaseUnavailable, explained } from '../store/postgres-errors.ts'

/** What a client is told of an error. */
export function refusalFor(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isOutOfSpace(error)) return new AppError('storage_full', 'The server is out of disk space.')
  if (explained(error) instanceof DatabaseUnavailable) {
    const again = { headers: { 'retry-after': '1' } }
    return new AppError('database_unavailable', 'The database cannot be reached. Please ask again.', again)
  }
  return commonRefusalFor(error)
}
