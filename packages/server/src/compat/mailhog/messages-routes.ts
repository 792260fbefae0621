import type { Hono } from 'hono'
import { FULL_SCOPES } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { requireScope } from '../../http/view.ts'
import { removeMatching } from '../../manage/removal.ts'
import type { View } from '../../store/messages.ts'
import { viewFor, type PeerContext, type PeerEnvironment } from '../caller.ts'
import { findMailOf, type Copies } from '../mails.ts'
import { listFrom } from '../walk.ts'
import type { MailhogPorts } from './caller.ts'
import { isSearchKind } from './search.ts'
import { sendPieces } from './write-messages.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 250
/** Of version 1, which has no pages. */
const LISTED_MAX = 1_000

/** Lists, searches and deletion of all messages. */
export function addMessagesRoutes(app: Hono<PeerEnvironment>, ports: MailhogPorts): void {
  const { store } = ports

  app.get('/api/v1/messages', async (context) => {
    const view = viewFor(ports, context)
    const listed = await listFrom(store, view, { start: 0, limit: LISTED_MAX })
    const pieces = async function* () {
      yield '['
      yield* writeAll(context, view, listed)
      yield ']'
    }
    return sendPieces(context, pieces(), 'text/json')
  })

  app.delete('/api/v1/messages', async (context) => {
    requireScope(context.var.principal, FULL_SCOPES)
    await removeMatching(ports.messages, viewFor(ports, context), null)
    return context.body(null, 200, { 'content-type': 'text/json' })
  })

  app.get('/api/v2/messages', async (context) => {
    const view = viewFor(ports, context)
    const { start, limit } = pageOf(context)
    const [{ total }, listed] = await Promise.all([
      ports.counts(context.var.principal, view),
      listFrom(store, view, { start, limit }),
    ])
    return sendPieces(context, page(context, view, { total, start, listed }), 'text/json')
  })

  app.get('/api/v2/search', async (context) => {
    const { kind = '', query = '' } = context.req.query()
    if (!isSearchKind(kind)) throw new AppError('validation_failed', 'kind must be from, to or containing.')
    if (query === '') throw new AppError('validation_failed', 'query is missing.')
    const view = viewFor(ports, context)
    const { start, limit } = pageOf(context)
    const found = await ports.search(view, kind, query)
    // As in MailHog, nothing is found behind the end.
    const total = start > found.length ? 0 : found.length
    const listed = found.slice(start, start + limit)
    return sendPieces(context, page(context, view, { total, start, listed }), 'application/json')
  })

  type Page = { total: number; start: number; listed: Copies[] }

  async function* page(context: PeerContext, view: View, { total, start, listed }: Page): AsyncGenerator<string, void> {
    yield `{"total":${total},"start":${start},"items":[`
    const count = yield* writeAll(context, view, listed)
    yield `],"count":${count}}`
  }

  /** Leaves out what was deleted meanwhile. Returns how many are left. */
  async function* writeAll(context: PeerContext, view: View, listed: Copies[]): AsyncGenerator<string, number> {
    let count = 0
    for (const copies of listed) {
      const mail = await findMailOf(store, view, copies)
      if (!mail) continue
      if (count++ > 0) yield ','
      yield* ports.writer.write(context, mail)
    }
    return count
  }
}

/** Like MailHog, takes other values as the defaults. */
function pageOf(context: PeerContext): { start: number; limit: number } {
  const number = (name: string) => {
    const text = context.req.query(name) ?? ''
    return /^\+?\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : null
  }
  return { start: number('start') ?? 0, limit: Math.min(number('limit') ?? LIMIT_DEFAULT, LIMIT_MAX) }
}
