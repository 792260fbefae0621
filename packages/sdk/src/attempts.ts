import { MailhatchError } from './errors.ts'
import { pages, type Pages } from './page.ts'
import { requestOptions, type RequestOptions, type Transport } from './transport.ts'
import type { SmtpAttempt } from './wire.ts'

/**
 * `to`: `qa`, `qa+tag` or a full address. `after`: a cursor of messages, without attempts that are more than a minute older.
 * `after_id`: the last attempt of the page before.
 */
export type AttemptsQuery = { to?: string; after?: string; limit?: number; after_id?: string }

export type AttemptsPage = { data: SmtpAttempt[]; has_more: boolean }

export type Attempts = ReturnType<typeof createAttempts>

/** The server's maximum. */
const PAGE_ATTEMPTS = 200

export function createAttempts(transport: Transport) {
  return {
    /**
     * A page of the SMTP transactions of the last day, newest first: also those that were refused, cut off or given up. `for await`
     * iterates over the attempts of all pages.
     *
     * @example
     * const { data } = await mailhatch.attempts.list({ to: 'qa+signup@mailhatch.test' })
     * for await (const { outcome } of mailhatch.attempts.list({ to: 'qa' })) console.log(outcome)
     */
    list(query: AttemptsQuery = {}, options: RequestOptions = {}): Pages<AttemptsPage> {
      const request = requestOptions(options)
      const read = (page: AttemptsQuery) =>
        transport.json<AttemptsPage>({ ...request, path: '/v1/attempts', query: page })
      return pages({
        first: read(query),
        next: (_, { id }) => read({ ...query, after_id: id }).catch(endIfDeleted),
        inOrder: (attempts) => attempts,
      })
    },
  }
}

/** The oldest attempts are deleted first: what would follow a deleted one is gone too. */
function endIfDeleted(error: unknown): AttemptsPage {
  if (error instanceof MailhatchError && error.code === 'cursor_not_found') return { data: [], has_more: false }
  throw error
}

/** All attempts for an address since a cursor, in order of time. */
export async function attemptsFor(
  list: Attempts['list'],
  query: Required<Pick<AttemptsQuery, 'to' | 'after'>>,
): Promise<SmtpAttempt[]> {
  const attempts: SmtpAttempt[] = []
  for await (const attempt of list({ ...query, limit: PAGE_ATTEMPTS })) attempts.push(attempt)
  return inOrder(attempts)
}

/** By their starts. Lists of the server begin with the one that ended last. */
export function inOrder(attempts: SmtpAttempt[]): SmtpAttempt[] {
  return attempts.toReversed().sort((one, other) => one.startedAt.localeCompare(other.startedAt))
}
