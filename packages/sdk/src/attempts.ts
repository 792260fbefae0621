import { MailhatchError } from './errors.ts'
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
     * A page of the SMTP transactions of the last day, newest first: also those that were refused, cut off or given up.
     *
     * @example
     * const { data } = await mailhatch.attempts.list({ to: 'qa+signup@mailhatch.test' })
     * console.log(data.map(({ outcome }) => outcome))
     */
    list: (query: AttemptsQuery = {}, options: RequestOptions = {}): Promise<AttemptsPage> =>
      transport.json({ ...requestOptions(options), path: '/v1/attempts', query }),
  }
}

/** All attempts for an address since a cursor, in order of time. */
export async function attemptsFor(
  list: Attempts['list'],
  query: Required<Pick<AttemptsQuery, 'to' | 'after'>>,
): Promise<SmtpAttempt[]> {
  const attempts: SmtpAttempt[] = []
  for (;;) {
    const last = attempts.at(-1)
    const page = await pageAfter(last?.id)
    attempts.push(...page.data)
    if (!page.has_more) return inOrder(attempts)
  }

  async function pageAfter(lastId: string | undefined): Promise<AttemptsPage> {
    try {
      return await list({ ...query, limit: PAGE_ATTEMPTS, ...(lastId !== undefined && { after_id: lastId }) })
    } catch (error) {
      // The oldest are deleted first: what would follow is gone too.
      if (lastId !== undefined && error instanceof MailhatchError && error.code === 'cursor_not_found') return END
      throw error
    }
  }
}

const END: AttemptsPage = { data: [], has_more: false }

/** By their starts. Lists of the server begin with the one that ended last. */
export function inOrder(attempts: SmtpAttempt[]): SmtpAttempt[] {
  return attempts.toReversed().sort((one, other) => one.startedAt.localeCompare(other.startedAt))
}
