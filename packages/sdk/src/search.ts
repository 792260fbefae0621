import { inOrder, type AttemptsPage, type AttemptsQuery } from './attempts.ts'
import type { Email } from './email.ts'
import { MailhatchError, NotFoundError, type Explanation } from './errors.ts'
import { conditionsOf, describeMatch, type Conditions, type Match } from './match.ts'
import { nextPage } from './page.ts'
import type { ListQuery, MessageFilter, MessagePage, MessageQuery } from './query.ts'
import { UNSPECIFIED_CODE } from './refusal.ts'
import type { ReadSettled } from './settled.ts'
import type { RequestOptions } from './transport.ts'
import type { Look, NextRequest, Search } from './wait.ts'
import type { MessageSummary, NearMiss, SettledState, SmtpAttempt } from './wire.ts'

/** The server's maximum. */
const PAGE_MESSAGES = 200
/** How many whole messages to read in parallel if a summary is not enough. */
const READ_AT_ONCE = 8
const ARRIVED_SHOWN = 20
/** The newest. More are never shown. */
const ATTEMPTS_READ = 50
/** Beside messages that passed the server's filters. They are the closest of the others, such as one with a typo in its tag. */
const OTHERS_SHOWN = 5
/** No message is that new, so the server explains everything that arrived, also if a message passes its filters. */
const NEVER = '9999-12-31T00:00:00Z'

/** Without retries, because waits do their own. */
export type Reader = {
  latest: (query: MessageQuery, options: RequestOptions) => Promise<Email>
  list: (query: ListQuery, options: RequestOptions) => Promise<MessagePage>
  get: (id: string, options: RequestOptions) => Promise<Email>
  attempts: (query: AttemptsQuery, options: RequestOptions) => Promise<AttemptsPage>
  settled: ReadSettled
  /** The URL of the server. */
  url: string
}

/** The newest message that matches. */
export function searchNewest(reader: Reader, match: Match): Search {
  const conditions = conditionsOf(match)
  const description = describeMatch(match)
  const address = addressOf(match)
  if (!conditions.isForServerAlone) {
    return searchEach(reader, { conditions, description, order: 'newest', address })
  }
  let explanation = NO_EXPLANATION
  let cursor: string | undefined
  return {
    description,
    async look(holdMs, next) {
      try {
        return { found: await reader.latest({ ...conditions.filter, wait: seconds(holdMs), explain: 1 }, next()) }
      } catch (error) {
        if (!isNoMatchYet(error)) throw error
        cursor = error.body.cursor
        explanation = explanationIn(error, pageOf(reader.url, address))
        return { found: null, isMore: false }
      }
    },
    async explain(options) {
      const [attempts, state] = await Promise.all([
        readAttempts(reader, { address, after: conditions.filter.after }, options),
        readState(reader, { filter: conditions.filter, address, newest: cursor }, options),
      ])
      return { ...explanation, attempts, state }
    },
  }
}

export type Each = {
  conditions: Conditions
  description: string
  order: 'newest' | 'oldest'
  /** Null if the match names none. */
  address: string | null
  /** Ids of messages to skip; the one that is found is added. */
  taken?: Set<string>
}

/** Checks every message that passes the server's filters: first those that exist, then new ones. */
export function searchEach(
  reader: Reader,
  { conditions, description, order, address, taken = new Set() }: Each,
): Search {
  const { filter, failedBySummary, failedByEmail } = conditions
  const misses = new Map<string, NearMiss>()
  let cursor = filter.after

  async function look(holdMs: number, next: NextRequest): Promise<Look> {
    const from = cursor
    try {
      for await (const batch of batches(holdMs, next)) {
        const found = await firstMatch(batch, next)
        if (found !== null) return { found }
      }
    } catch (error) {
      // The last message of the previous page was deleted. The next look starts from the beginning.
      if (!(error instanceof MailhatchError && error.code === 'cursor_not_found')) throw error
    }
    return { found: null, isMore: cursor !== from }
  }

  /** Yields unchecked messages. The cursor advances only after all of them, so that a failed request skips none. */
  async function* batches(holdMs: number, next: NextRequest): AsyncGenerator<MessageSummary[]> {
    const isFollowing = cursor !== undefined
    const newestFirst: MessageSummary[] = []
    let query: ListQuery = { ...filter, limit: PAGE_MESSAGES }
    if (isFollowing) query = { ...query, after: cursor!, wait: seconds(holdMs) }
    let reached: string | undefined
    for (;;) {
      const page = await reader.list(query, next())
      reached = isFollowing ? page.cursor : (reached ?? page.cursor)
      if (isFollowing) newestFirst.unshift(...page.data)
      else if (order === 'newest') yield page.data
      else newestFirst.push(...page.data)
      const last = page.data.at(-1)
      if (!page.has_more || last === undefined) break
      query = nextPage({ ...query, wait: 0 }, page.cursor, last.id)
    }
    yield order === 'newest' ? newestFirst : newestFirst.toReversed()
    cursor = reached
  }

  async function firstMatch(batch: MessageSummary[], next: NextRequest): Promise<Email | null> {
    const candidates = batch.filter((summary) => isCandidate(summary))
    const readAtOnce = failedByEmail === null ? 1 : READ_AT_ONCE
    for (let start = 0; start < candidates.length; start += readAtOnce) {
      const some = candidates.slice(start, start + readAtOnce)
      const emails = await Promise.all(some.map(({ id }) => readUnlessDeleted(id, next())))
      for (const [index, email] of emails.entries()) {
        if (email === null) continue
        const failed = (await failedByEmail?.(email)) ?? []
        if (failed.length > 0) misses.set(email.id, { ...some[index]!, failed })
        // Checked again, because a concurrent wait may have taken it meanwhile.
        else if (!taken.has(email.id)) {
          taken.add(email.id)
          return email
        }
      }
    }
    return null
  }

  function isCandidate(summary: MessageSummary): boolean {
    if (misses.has(summary.id)) return false
    const failed = taken.has(summary.id) ? ['returned before'] : failedBySummary(summary)
    if (failed.length > 0) misses.set(summary.id, { ...summary, failed })
    return failed.length === 0
  }

  async function readUnlessDeleted(id: string, options: RequestOptions): Promise<Email | null> {
    try {
      return await reader.get(id, options)
    } catch (error) {
      if (error instanceof NotFoundError) return null
      throw error
    }
  }

  return {
    description,
    look,
    async explain(options) {
      const page = pageOf(reader.url, address)
      const [asked, attempts, state] = await Promise.all([
        askWhy(reader, { ...filter, since: NEVER }, { ...options, page }),
        readAttempts(reader, { address, after: filter.after }, options),
        readState(reader, { filter, address, newest: cursor }, options),
      ])
      const explanation = { ...asked, attempts, state }
      const others = explanation.arrived
        .filter(({ id }) => !misses.has(id))
        .map((other) => ({ ...other, failed: withoutNever(other.failed, filter) }))
      if (misses.size === 0) return { ...explanation, arrived: others }
      const closest = others.slice(0, OTHERS_SHOWN)
      return { ...explanation, arrived: [...[...misses.values()].slice(closest.length - ARRIVED_SHOWN), ...closest] }
    },
  }
}

/** The conditions that a message fails without `NEVER`. If there are none, it arrived after the last look. */
function withoutNever(failed: string[], { since }: MessageFilter): string[] {
  const others = failed.filter((name) => name !== 'since')
  if (others.length > 0) return others
  return [since === undefined ? 'timeout' : 'since']
}

/** If the request fails, the explanation is empty. */
async function askWhy(
  reader: Reader,
  filter: MessageFilter,
  { page, ...options }: RequestOptions & { page: string | null },
): Promise<Explanation> {
  try {
    await reader.latest({ ...filter, explain: 1 }, options)
  } catch (error) {
    if (error instanceof MailhatchError) return explanationIn(error, page)
    throw error
  }
  return NO_EXPLANATION
}

const NO_EXPLANATION: Explanation = { arrived: [], refused: null, attempts: [], page: null, state: null }

function explanationIn({ body: { arrived, refused } }: MailhatchError, page: string | null): Explanation {
  // Only Mailhatch sends `arrived`, and only Mailhatch has the page.
  return arrived === undefined ? NO_EXPLANATION : { ...NO_EXPLANATION, arrived, refused: refused ?? null, page }
}

/** In order of time. Only with a tag: other addresses are shared by tests. Without it the error is the same, so no failure counts. */
async function readAttempts(
  reader: Reader,
  { address, after }: { address: string | null; after: string | undefined },
  options: RequestOptions,
): Promise<SmtpAttempt[]> {
  if (!address?.includes('+')) return []
  try {
    const { data } = await reader.attempts({ to: address, limit: ATTEMPTS_READ, ...(after && { after }) }, options)
    return inOrder(data)
  } catch {
    return []
  }
}

type Asked = { filter: MessageFilter; address: string | null; newest: string | undefined }

/** Whether mail for the address is on its way. Null if the server does not say: without it the error is the same. */
async function readState(
  reader: Reader,
  { filter, address, newest }: Asked,
  options: RequestOptions,
): Promise<SettledState | null> {
  const { mailbox = address, tag, tags, after = newest } = filter
  if (mailbox === null) return null
  const given = { ...(tag && { tag }), ...(tags && { tags }), ...(after && { after }) }
  try {
    return await reader.settled({ mailbox, ...given, quiet: 0, wait: 0 }, options)
  } catch {
    return null
  }
}

function addressOf({ mailbox, to }: Pick<Match, 'mailbox' | 'to'>): string | null {
  return mailbox ?? (typeof to === 'string' && to.includes('@') ? to : null)
}

/** The dashboard's page with the mail of an address. */
function pageOf(url: string, address: string | null): string | null {
  return address === null ? null : `${url}/a/${encodeURIComponent(address)}`
}

function isNoMatchYet(error: unknown): error is MailhatchError {
  return error instanceof NotFoundError && ['message_not_found', UNSPECIFIED_CODE].includes(error.code)
}

/** Rounded, because tiny numbers would be printed with an exponent. */
const seconds = (ms: number): number => Math.round(ms) / 1000
