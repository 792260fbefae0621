import type { Hono } from 'hono'
import { z } from 'zod'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { inGroups } from '../../domain/in-groups.ts'
import { BODY_BYTES_MAX } from '../../http/body.ts'
import { requireScope } from '../../http/view.ts'
import { markMatchingRead } from '../../manage/read-marks.ts'
import { removeMatching, removeMessages, ROWS_PER_REMOVAL } from '../../manage/removal.ts'
import type { View } from '../../store/messages.ts'
import { viewFor, type PeerContext, type PeerEnvironment } from '../caller.ts'
import { readJson } from '../json-body.ts'
import { areAny, positionsOf } from '../mails.ts'
import { fromShortId } from '../short-id.ts'
import { slicesOf } from '../walk.ts'
import type { MaildevPorts } from './caller.ts'
import { parseFilters } from './filter.ts'
import { LIST_MAX } from './lists.ts'
import { presentSummary } from './present.ts'
import type { FoundEmail, EmailOrder } from './search.ts'
import { SECOND, THIRD, type Version } from './version.ts'

const SUMMARIES = { default: 50, max: 200 }
const READ_AT_ONCE = 10
const idsBody = z.object({ ids: z.array(z.string().trim().min(1)) })

/** Lists, the flags of all emails, and deletions. */
export function addListRoutes(app: Hono<PeerEnvironment>, ports: MaildevPorts): void {
  const { store, lists, counts } = ports

  for (const version of [SECOND, THIRD]) {
    app.get(`${version.prefix}/email`, async (context) => {
      const view = viewFor(ports, context)
      const filters = parseFilters(new URL(context.req.url).searchParams, version.parameters)
      const { order, isPart, page } = pageOf(context, version)
      const found = await lists.filtered(view, version, filters, { max: isPart ? Infinity : LIST_MAX, order })
      return sendList(context, view, page(found), version, order === 'desc')
    })

    app.patch(`${version.prefix}/email/read-all`, async (context) => {
      requireScope(context.var.principal, FULL_SCOPES)
      const view = viewFor(ports, context)
      const { unread } = await counts(context.var.principal, view)
      await markMatchingRead(store, view, { after: null, upTo: null })
      return context.json(unread)
    })

    app.delete(`${version.prefix}/email/all`, async (context) => {
      requireScope(context.var.principal, FULL_SCOPES)
      await removeMatching(ports.messages, viewFor(ports, context), null)
      return context.json(true)
    })

    app.delete(`${version.prefix}/email/:id`, async (context) => {
      requireScope(context.var.principal, FULL_SCOPES)
      const { deleted } = await remove(viewFor(ports, context), [context.req.param('id')])
      if (deleted.length === 0) throw new AppError('message_not_found', 'Email was not found')
      return context.json(true)
    })
  }

  app.get('/api/email/summary', async (context) => {
    const view = viewFor(ports, context)
    const { skip, limit } = { skip: numberIn(context, 'skip') ?? 0, limit: numberIn(context, 'limit') }
    const size = Math.min(limit || SUMMARIES.default, SUMMARIES.max)
    const order = context.req.query('sort') === 'asc' ? 'asc' : 'desc'
    const unreadOnly = context.req.query('unread') === 'true'
    const found = await lists.containing(view, context.req.query('search') ?? '', { unreadOnly, order })
    const items = await lists.write(view, found.slice(skip, skip + size), {
      present: presentSummary,
      isNewestFirst: order === 'desc',
    })
    const { total: storeTotal, unread } = await counts(context.var.principal, view)
    return context.json({ items: JSON.parse(items), total: found.length, storeTotal, unread, skip, limit: size })
  })

  app.post('/api/email/delete', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    const body = await readJson(context.req.raw, idsBody, BODY_BYTES_MAX)
    if (body === null) throw new AppError('validation_failed', 'The body must have a list `ids` of email ids.')
    return context.json(await remove(viewFor(ports, context), Array.from(new Set(body.ids))))
  })

  async function remove(view: View, ids: string[]): Promise<{ deleted: string[]; notFound: string[] }> {
    const found = await inGroups(ids, READ_AT_ONCE, async (given) => {
      const id = fromShortId(given)
      return id === null ? [] : store.findCopies(view, id)
    })
    const positions = positionsOf(found.filter(areAny))
    // In small steps, during which arriving mail has to wait.
    for (const group of slicesOf(positions, ROWS_PER_REMOVAL)) await removeMessages(ports.messages, view.teamId, group)
    const { deleted = [], notFound = [] } = Object.groupBy(ids, (_, index) =>
      found[index]!.length > 0 ? 'deleted' : 'notFound',
    )
    return { deleted, notFound }
  }

  async function sendList(
    context: PeerContext,
    view: View,
    found: FoundEmail[],
    { present }: Version,
    isNewestFirst: boolean,
  ): Promise<Response> {
    const body = await lists.write(view, found, { present, isNewestFirst })
    // From here on, a slow reader keeps it in memory.
    ports.downloads.begin(context.var.principal.keyId, context.env?.outgoing)
    return context.body(body, 200, { 'content-type': 'application/json; charset=utf-8' })
  }
}

type Page = {
  order: EmailOrder
  /** Whether the place of an email among all others matters. */
  isPart: boolean
  page<Item>(items: Item[]): Item[]
}

/** Like MailDev, ignores what is no number. Version 2 takes a negative one as a number of last emails. */
function pageOf(context: PeerContext, version: Version): Page {
  if (version === SECOND) {
    const skip = Number.parseInt(context.req.query('skip') ?? '', 10) || 0
    return { order: null, isPart: skip !== 0, page: (items) => items.slice(skip) }
  }
  const [skip, limit, sort] = [numberIn(context, 'skip') ?? 0, numberIn(context, 'limit'), context.req.query('sort')]
  const order = sort === 'asc' || sort === 'desc' ? sort : null
  const page = <Item>(items: Item[]) => items.slice(skip, limit === null ? undefined : skip + limit)
  return { order, isPart: order !== null || skip > 0 || limit !== null, page }
}

function numberIn(context: PeerContext, name: string): number | null {
  const number = Number.parseInt(context.req.query(name) ?? '', 10)
  return number >= 0 ? number : null
}
