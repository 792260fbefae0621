import { z } from 'zod'
import { hasScope, type Principal } from '../../domain/access.ts'
import { formatCursor } from '../../domain/cursor.ts'
import { AppError } from '../../domain/errors.ts'
import { isOperatorTeam } from '../../manage/operator.ts'
import { explain, explainRefusals } from '../../read/explain.ts'
import { readPage } from '../../read/page.ts'
import type { StoredMessage, View } from '../../store/messages.ts'
import { authenticateAgain } from '../authenticate.ts'
import { latestQuery, listQuery, toLatestParams, toListParams } from '../message-params.ts'
import { isoTime, presentMessage, presentSummary } from '../present.ts'
import { cursor, messageDetail, messagePage } from '../shapes/shapes.ts'
import { onGone, searchOf } from '../search-view.ts'
import { viewOf } from '../view.ts'
import { messageId, messageNotFound } from './path-parameters.ts'
import type { RoutePorts } from './ports.ts'
import { data, json, route } from './route.ts'

export const listMessages = route({
  method: 'get',
  path: '/v1/messages',
  access: 'any scope',
  tag: 'Messages',
  summary: 'List messages',
  description:
    'Lists the messages that match all filters, newest first. Empty values count as missing. Unknown parameters are ignored, unless one looks like a misspelled name.\n\n' +
    'To read every message once, pass `after`: the response then has the first `limit` matches that became visible after that cursor. Pass the `cursor` of each response on until `has_more` is false, then add `wait`. No message is lost in between. When a wait times out, `data` is empty.',
  query: listQuery,
  exampleQuery: 'mailbox=qa&limit=20',
  answers: { 200: json('A page of messages.', messagePage) },
  errors: [
    'mailbox_invalid',
    'validation_failed',
    'cursor_not_found',
    'too_many_waits',
    'server_busy',
    'shutting_down',
  ],
  validate: (_, { query }) => toListParams(query),
  async handle(ports, { principal, input: params, context }) {
    const {
      store,
      messages: { waits },
    } = ports
    const view = searchOf(context, principal, params.filter, ports.now())
    const { waitMs, after } = params
    const waiting = { keyId: principal.keyId, waitMs, after, onGone: onGone(context) }
    const page = await waits.until(view, waiting, async () => {
      const found = await readPage(store, view, params)
      return found.messages.length > 0 ? found : null
    })
    if (waitMs > 0) await authenticateAgain(ports.keys, principal)
    const { messages, hasMore, cursor: position } = page ?? (await readPage(store, view, params))
    return { data: messages.map(presentSummary), has_more: hasMore, cursor: formatCursor(position) }
  },
})

export const latestMessage = route({
  method: 'get',
  path: '/v1/messages/latest',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Get or wait for the newest match',
  description:
    'Returns the newest message that matches all filters. With `wait`, the response is held until there is one.\n\n' +
    'To wait without a race, read `cursor` from `GET /v1/me`, make your app send its mail, then call this with `after` and `wait`. Mail that arrived between the two calls is found, older mail is not. When the wait times out, or with `explain=1`, the 404 lists the messages that did arrive and the parameters that they do not match. For a key with `api.full` it also lists recently refused mail for similar addresses.',
  query: latestQuery,
  exampleQuery: 'mailbox=qa%2B42&after=c9&wait=25',
  answers: {
    200: json('The message and its cursor.', z.strictObject({ data: messageDetail, cursor })),
  },
  errors: [
    'mailbox_invalid',
    'validation_failed',
    { code: 'message_not_found', sentence: 'No messages found' },
    'too_many_waits',
    'server_busy',
    'shutting_down',
  ],
  validate: (_, { query }) => toLatestParams(query),
  async handle(ports, { principal, input, context }) {
    const {
      store,
      messages: { waits },
    } = ports
    const { filter, after, waitMs, explain: wantsReasons } = input
    const view = searchOf(context, principal, filter, ports.now())
    const waiting = { keyId: principal.keyId, waitMs, after, onGone: onGone(context) }
    const look = async (arrived: StoredMessage | null) =>
      arrived && isVisible(arrived, view, after) ? arrived : store.latestMessage(view, after)
    const message = await waits.until(view, waiting, look)
    if (waitMs > 0) await authenticateAgain(ports.keys, principal)
    if (message) return answerLatest(message)
    if (waitMs === 0 && !wantsReasons) throw new AppError('message_not_found', 'No messages found')
    // Read before the last query, so that a client that continues from this cursor misses no message.
    const newest = await store.newestPosition(view.teamId)
    const last = await look(null)
    if (last) return answerLatest(last)
    throw new AppError('message_not_found', 'No messages found', {
      extra: { cursor: formatCursor(newest), ...(await reasons(ports, { principal, view, after })) },
    })

    function answerLatest(found: StoredMessage) {
      return { data: presentMessage(found), cursor: formatCursor(found.position) }
    }
  },
})

/** Of a message that matches the filter. */
function isVisible({ receivedAt, position }: StoredMessage, { oldestReceivedAt }: View, after: number | null): boolean {
  return receivedAt >= oldestReceivedAt && position > (after ?? 0)
}

export const getMessage = route({
  method: 'get',
  path: '/v1/messages/{id}',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Get a message',
  description: 'Returns a message with its headers, bodies, codes, links and attachments.',
  params: { id: messageId },
  answers: { 200: data('The message.', messageDetail) },
  errors: ['message_not_found'],
  async handle({ store, now }, { principal, params: { id } }) {
    const message = await store.findMessage(viewOf(principal, {}, now()), id)
    if (!message) throw messageNotFound()
    return { data: presentMessage(message) }
  },
})

type Unmatched = { principal: Principal; view: View; after: number | null }

/** What arrived instead, and, for keys that may see it, what was refused. */
async function reasons(ports: RoutePorts, { principal, view, after }: Unmatched): Promise<object> {
  const arrived = (await explain(ports, view, after)).map(({ message, failed }) => ({
    ...presentSummary(message),
    failed,
  }))
  if (!hasScope(principal, ['api.full'])) return { arrived }
  await ports.inbound.saveRejections()
  const seesAll = await isOperatorTeam(ports.inbound, principal.team)
  const refused = await explainRefusals(ports, seesAll ? null : principal.team.id, view.filter)
  return { arrived, refused: refused.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })) }
}
