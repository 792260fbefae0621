import type { z } from 'zod'
import type { MessageFilter } from '../domain/match.ts'
import { latestQuery, secondsUpTo, streamQuery, WAIT_SECONDS_MAX } from './message-params.ts'
import { refuse } from './query.ts'

const QUIET_SECONDS_MAX = 20
const QUIET_MS = 500
const WAIT_MS = 25_000
/** A question about so many still fits into the 8,000 bytes of a notification of PostgreSQL, beside the longest mailbox and domain. */
const TAGS_MAX = 50
const TAGS_BYTES_MAX = 6_000

/** Query parameters of `GET /v1/messages/settled`. */
export const settledQuery = latestQuery.pick({ tag: true, tags: true, after: true }).extend({
  mailbox: latestQuery.shape.mailbox.unwrap().meta({ ...latestQuery.shape.mailbox.meta() }),
  quiet: secondsUpTo(QUIET_SECONDS_MAX, 'For how many seconds no message must come: 0.5 by default.', 0.5),
  wait: secondsUpTo(WAIT_SECONDS_MAX, 'How many seconds to wait for that: 25 by default, and more than `quiet`.', 25),
})

export type SettledParams = {
  filter: Pick<MessageFilter, 'tag' | 'tags'> & { mailbox: NonNullable<MessageFilter['mailbox']> }
  /** The tags that pass the filter. Null for all. */
  tags: string[] | null
  after: number | null
  quietMs: number
  waitMs: number
}

/** Filters about the content of messages. It is unknown of mail that is on its way. */
const OF_CONTENT = Object.keys(streamQuery.shape).filter((name) => !(name in settledQuery.shape))

export function toSettledParams(given: z.output<typeof settledQuery>, search: URLSearchParams): SettledParams {
  const { after = null, quiet: quietMs = QUIET_MS, wait: waitMs = WAIT_MS, ...filter } = given
  for (const name of OF_CONTENT) if (search.get(name)) refuse({ [name]: ['cannot be used here'] })
  if (quietMs > 0 && waitMs <= quietMs) refuse({ wait: ['must be longer than quiet'] })
  const lists = [filter.mailbox.tag, filter.tag, filter.tags].filter((value) => value !== null && value !== undefined)
  const tags = lists.map((value) => [value].flat()).reduce<string[] | null>(commonTags, null)
  if (tags !== null && tags.length > TAGS_MAX) refuse({ tags: [`must be at most ${TAGS_MAX} tags`] })
  if (Buffer.byteLength(JSON.stringify(tags)) > TAGS_BYTES_MAX) {
    refuse({ [filter.tags ? 'tags' : 'tag']: [`must be at most ${TAGS_BYTES_MAX} bytes as JSON`] })
  }
  return { filter, tags, after, quietMs, waitMs }
}

/** Tags that every list has. */
function commonTags(common: string[] | null, next: string[]): string[] {
  return common === null ? next : common.filter((tag) => next.includes(tag))
}
