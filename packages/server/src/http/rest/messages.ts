import type { Context, Hono } from 'hono'
import { formatCursor } from '../../domain/cursor.ts'
import { AppError } from '../../domain/errors.ts'
import type { MessageFilter } from '../../domain/match.ts'
import { refuseRoute } from '../../domain/route-refusal.ts'
import { isUuid } from '../../domain/uuid.ts'
import { explain } from '../../read/explain.ts'
import { readPage } from '../../read/page.ts'
import type { Waits } from '../../read/wait.ts'
import type { Store, StoredMessage, View } from '../../store/store.ts'
import type { AnswerCache } from '../answer-cache.ts'
import type { ApiEnvironment } from '../app.ts'
import { authenticateAgain } from '../authenticate.ts'
import type { KeyEndings } from '../key-endings.ts'
import { readAsked } from '../asked-mailbox.ts'
import { readLatestParams, readListParams } from '../message-params.ts'
import { presentMessage, presentSummary } from '../present.ts'
import { searchParams } from '../query.ts'
import { viewOf, whileConnected } from '../view.ts'

export type MessagePorts = {
  store: Store
  waits: Waits
  answers: Pick<AnswerCache, 'keep'>
  keyEndings: KeyEndings
  now: () => number
}

export function addMessageRoutes(app: Hono<ApiEnvironment>, ports: MessagePorts): void {
  const { store, waits, answers, now } = ports

  app.get('/v1/messages', async (context) => {
    const principal = context.get('principal')
    const params = await readAsked(ports, principal, searchParams(context.req.url), readListParams)
    const askedAt = now()
    const view = searchOf(context, params.filter, askedAt)
    const waiting = { keyId: principal.keyId, waitMs: params.waitMs, onGone: onGone(context) }
    const page = await waits.until(view, waiting, async () => {
      const found = await readPage(store, view, params)
      return found.messages.length > 0 ? found : null
    })
    if (params.waitMs > 0) await authenticateAgain(ports, principal, askedAt)
    const { messages, hasMore, cursor } = page ?? (await readPage(store, view, params))
    return answer(context, view, messages, {
      data: messages.map(presentSummary),
      has_more: hasMore,
      cursor: formatCursor(cursor),
    })
  })

  app.get('/v1/messages/latest', async (context) => {
    const principal = context.get('principal')
    const params = await readAsked(ports, principal, searchParams(context.req.url), readLatestParams)
    const { filter, after, waitMs, explain: wantsReasons } = params
    const askedAt = now()
    const view = searchOf(context, filter, askedAt)
    const waiting = { keyId: principal.keyId, waitMs, onGone: onGone(context) }
    const look = () => store.latestMessage(view, after)
    const message = await waits.until(view, waiting, look)
    if (waitMs > 0) await authenticateAgain(ports, principal, askedAt)
    if (message) return answerLatest(message)
    if (waitMs === 0 && !wantsReasons) throw new AppError('message_not_found', 'No messages found')
    // Read before the last look: who goes on from this cursor misses nothing that became visible at the last moment.
    const cursor = await store.newestPosition(view.teamId)
    const last = await look()
    if (last) return answerLatest(last)
    throw new AppError('message_not_found', 'No messages found', { extra: await reasons(ports, view, after, cursor) })

    function answerLatest(found: StoredMessage): Response {
      return answer(context, view, [found], { data: presentMessage(found), cursor: formatCursor(found.position) })
    }
  })

  // Or other methods would take the name for an id.
  for (const path of ['/v1/messages/latest', '/v1/messages/stream']) {
    app.all(path, (context) => {
      throw refuseRoute(app.routes, context.req.path)
    })
  }

  app.get('/v1/messages/:id', async (context) => {
    const id = context.req.param('id').toLowerCase()
    const view = viewOf(context.get('principal'), {}, now())
    const message = isUuid(id) ? await store.findMessage(view, id) : null
    if (!message) throw new AppError('message_not_found', 'Not found')
    return answer(context, view, [message], { data: presentMessage(message) })
  })

  function answer(context: Context<ApiEnvironment>, view: View, shown: Shown[], body: object): Response {
    const json = JSON.stringify(body)
    const { keyId, expiresAt } = context.get('principal')
    const until = Math.min(expiresAt ?? Infinity, firstExpiry(view, shown, now()))
    // What was found by waiting, or not, is no answer to the same question asked anew.
    if (context.env.incoming && context.req.query('wait') === undefined)
      answers.keep(context.env.incoming, { version: context.get('version'), until, keyId, json })
    return context.body(json, 200, { 'content-type': 'application/json' })
  }
}

function searchOf(context: Context<ApiEnvironment>, filter: MessageFilter, at: number): View {
  return { ...viewOf(context.get('principal'), filter, at), proceed: whileConnected(context.env.outgoing) }
}

/** Through the socket itself: a request's `signal` costs as much as everything else of a held wait. */
function onGone({ env }: Context<ApiEnvironment>) {
  return (end: () => void) => void env.outgoing?.once('close', end)
}

type Shown = { receivedAt: number }

/** When the first of these messages grows too old to be shown. */
function firstExpiry({ oldestReceivedAt }: View, shown: Shown[], now: number): number {
  return shown.reduce((first, { receivedAt }) => Math.min(first, now + receivedAt - oldestReceivedAt), Infinity)
}

async function reasons(ports: MessagePorts, view: View, after: number | null, cursor: number): Promise<object> {
  const arrived = await explain(ports, view, after)
  return {
    cursor: formatCursor(cursor),
    arrived: arrived.map(({ message, failed }) => ({ ...presentSummary(message), failed })),
  }
}
