import type { Hono } from 'hono'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { inGroups } from '../../domain/in-groups.ts'
import { requireScope } from '../../http/view.ts'
import { markMatchingRead, ROWS_PER_MARK } from '../../manage/read-marks.ts'
import { removeMatching, removeMessages, ROWS_PER_REMOVAL } from '../../manage/removal.ts'
import type { View } from '../../store/messages.ts'
import { viewFor, type PeerContext, type PeerEnvironment } from '../caller.ts'
import { findMailOf, isMailRead, positionsOf, type Copies } from '../mails.ts'
import { listFrom, LOOKED_AT_MAX, newestFirst, slicesOf } from '../walk.ts'
import { idsBody, readFields, readStatusBody } from './bodies.ts'
import { findAllCopies, queryOf, type MailpitPorts } from './caller.ts'
import { presentListed } from './present.ts'
import { parseQuery, type Term } from './query.ts'
import { parseQueryDate } from './query-dates.ts'
import { countTags, joinTags } from './tags.ts'

const LIMIT_DEFAULT = 50
/** Each entry is made of a whole message. */
const LIMIT_MAX = 1_000
const READ_AT_ONCE = 10

/** Lists, searches, read flags and deletions. */
export function addMessagesRoutes(app: Hono<PeerEnvironment>, ports: MailpitPorts): void {
  const { store, search, events, counts: count } = ports

  app.get('/api/v1/messages', async (context) => {
    const { start, limit, before } = pageOf(context)
    const view = viewBefore(viewFor(ports, context), before)
    const counts = await count(context.var.principal, viewFor(ports, context))
    const found = await listFrom(store, view, limit === 0 ? { start: 0, limit: LIMIT_MAX } : { start, limit })
    const read = new Set(found.length > 0 ? await store.readAmong(view.teamId, positionsOf(found)) : [])
    const listed = found.map((copies) => ({ copies, isRead: isMailRead(copies, read) }))
    const messages = await present(view, listed, { isSearch: false })
    return context.json(listOf({ counts, start, messages, matching: counts }))
  })

  app.get('/api/v1/search', async (context) => {
    const terms = requireQuery(context)
    const { start, limit, before } = pageOf(context)
    const view = viewBefore(viewFor(ports, context), before)
    const found = await search.all(view, terms)
    const counts = await count(context.var.principal, viewFor(ports, context))
    const matching = { total: found.length, unread: found.filter(({ isRead }) => !isRead).length }
    const messages = await present(view, found.slice(start, start + limit), { isSearch: true })
    return context.json(listOf({ counts, start, messages, matching }))
  })

  app.put('/api/v1/messages', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const body = await readFields(context.req.raw, readStatusBody)
    if (body === null) throw new AppError('validation_failed', 'The body is empty.')
    const { ids: given, search: query } = body
    const ids = given ?? []
    if (ids.length > 0 && query) {
      throw new AppError('validation_failed', 'You may specify either IDs or a search query, not both')
    }
    const view = viewFor(ports, context)
    const isRead = body.read ?? false
    if (query) {
      const terms = requireTerms(parseQuery(query, context.req.query('tz') || null))
      const found = await search.all(view, terms)
      const others = found.filter((one) => one.isRead !== isRead)
      await mark(view, positionsOf(others.map(({ copies }) => copies)), isRead)
    } else if (ids.length > 0) {
      await mark(view, positionsOf(await findAllCopies(store, view, ids)), isRead)
    } else if (isRead) {
      await markMatchingRead(store, view, { after: null, upTo: null })
    } else {
      for await (const page of newestFirst(store, view)) {
        await mark(
          view,
          page.map(({ position }) => position),
          false,
        )
      }
    }
    ports.messages.subscriptions.marked(view.teamId)
    return context.text('ok')
  })

  app.delete('/api/v1/messages', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const ids = (await readFields(context.req.raw, idsBody))?.ids ?? []
    const view = viewFor(ports, context)
    if (ids.length > 0) {
      await remove(view, positionsOf(await findAllCopies(store, view, ids)))
    } else {
      await removeMatching({ ...ports.messages, onRemoved: () => {} }, view, null)
      events.emptied(context.var.principal)
    }
    return context.text('ok')
  })

  app.delete('/api/v1/search', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const view = viewFor(ports, context)
    const found = await search.all(view, requireTerms(requireQuery(context)))
    await remove(view, positionsOf(found.map(({ copies }) => copies)))
    return context.text('ok')
  })

  async function mark({ teamId }: View, positions: number[], isRead: boolean): Promise<void> {
    for (const group of slicesOf(positions, ROWS_PER_MARK)) await store.markMessages(teamId, group, isRead)
  }

  /** In small steps, during which arriving mail has to wait. */
  async function remove({ teamId }: View, positions: number[]): Promise<void> {
    for (const group of slicesOf(positions, ROWS_PER_REMOVAL)) await removeMessages(ports.messages, teamId, group)
  }

  async function present(view: View, listed: { copies: Copies; isRead: boolean }[], kind: { isSearch: boolean }) {
    const tagged = await store.tagsAmong(view.teamId, positionsOf(listed.map(({ copies }) => copies)))
    const setTags = new Map(tagged.map(({ position, tags }) => [position, tags]))
    const presented = await inGroups(listed, READ_AT_ONCE, async ({ copies, isRead }) => {
      const mail = await findMailOf(store, view, copies)
      const state = { isRead, setTags: joinTags(copies.map(({ position }) => setTags.get(position) ?? null)) }
      return mail && presentListed(mail, state, kind)
    })
    // One that was deleted meanwhile is left out.
    return presented.filter((entry) => entry !== null)
  }
}

type Counts = { total: number; unread: number }
type Listed = { counts: Counts; matching: Counts; start: number; messages: ReturnType<typeof presentListed>[] }

function listOf({ counts, matching, start, messages }: Listed) {
  return {
    total: counts.total,
    unread: counts.unread,
    count: messages.length,
    messages_count: matching.total,
    messages_unread: matching.unread,
    start,
    tags: Array.from(countTags(messages.map(({ Tags }) => Tags)).keys()),
    messages,
  }
}

function requireQuery(context: PeerContext): NonNullable<ReturnType<typeof queryOf>> {
  const terms = queryOf(context)
  if (terms === null) throw new AppError('validation_failed', 'Error: no search query')
  return terms
}

/** A search such as `to:` finds every message, which a deletion should not do by accident. */
function requireTerms(terms: Term[]): Term[] {
  if (terms.length > 0) return terms
  throw new AppError('validation_failed', 'The search says nothing, so it finds every message. Nothing was changed.')
}

/** Like Mailpit, takes other values as the defaults. A list with the limit 0 has no limit, and a search no messages. */
function pageOf(context: PeerContext): { start: number; limit: number; before: number | null } {
  const number = (name: string) =>
    /^\d{1,15}$/.test(context.req.query(name) ?? '') ? Number(context.req.query(name)) : null
  const before = context.req.query('before')
  return {
    start: Math.min(number('start') ?? 0, LOOKED_AT_MAX),
    limit: Math.min(number('limit') ?? LIMIT_DEFAULT, LIMIT_MAX),
    before: before ? parseQueryDate(before.toLowerCase(), null) : null,
  }
}

/** Like Mailpit, ignores a time before 1970. */
function viewBefore(view: View, before: number | null): View {
  return before === null || before <= 0 ? view : { ...view, filter: { ...view.filter, end: before } }
}
