import { z } from 'zod'
import type { Principal } from '../../domain/access.ts'
import { formatCursor } from '../../domain/cursor.ts'
import type { AddressRange } from '../../domain/transit.ts'
import { requireReceiving } from '../../manage/address-holder.ts'
import { countMatching } from '../../read/count.ts'
import { requireKnownPosition } from '../../read/known-cursor.ts'
import { beginSettling } from '../../read/settled.ts'
import { authenticateAgain } from '../authenticate.ts'
import { countQuery, toStreamParams } from '../message-params.ts'
import { isoTime, presentSummary } from '../present.ts'
import { onGone, searchOf } from '../search-view.ts'
import { settledQuery, toSettledParams, type SettledParams } from '../settled-params.ts'
import { counted, settledState } from '../shapes/settled-shapes.ts'
import { cursor } from '../shapes/shapes.ts'
import { forbidden, viewOf } from '../view.ts'
import type { RoutePorts } from './ports.ts'
import { data, json, route } from './route.ts'

const MESSAGES_SHOWN = 50

export const countMessages = route({
  method: 'get',
  path: '/v1/messages/count',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Count messages',
  description:
    'Counts the messages that match all filters. With `after`, only those that became visible after that cursor.',
  query: countQuery,
  exampleQuery: 'mailbox=qa%2B42&after=c9',
  answers: { 200: data('The number of messages.', counted) },
  errors: ['mailbox_invalid', 'validation_failed', 'cursor_not_found'],
  validate: (_, { query }) => toStreamParams(query),
  async handle({ store, now }, { principal, input: { filter, after }, context }) {
    await requireKnownPosition(store, principal.team.id, after)
    return { data: await countMatching(store, searchOf(context, principal, filter, now()), after) }
  },
})

export const settledMessages = route({
  method: 'get',
  path: '/v1/messages/settled',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Wait until all mail for an address has arrived',
  description:
    'Responds when no mail for the address is on its way through the server, and none came for `quiet` seconds since the request: no SMTP transaction to it is open, and no worker has mail for it that is not a message yet. If that does not happen in time, `settled` is false, and the response says what is on its way, or what the server cannot know.\n\n' +
    'Without a domain, `mailbox` is on the domain of the team’s mailbox of that name, or else of the team. The server cannot know of mail whose sender has not named the address yet: choose `quiet` longer than your app takes to send.',
  query: settledQuery,
  exampleQuery: 'mailbox=qa%2B42&after=c9&quiet=0.5',
  answers: {
    200: json('What came, and what is on its way.', z.strictObject({ data: settledState, cursor })),
  },
  errors: [
    'mailbox_invalid',
    'validation_failed',
    'cursor_not_found',
    'mailbox_unknown',
    'too_many_waits',
    'server_busy',
    'shutting_down',
  ],
  validate: (_, { query, search }) => toSettledParams(query, search),
  async handle(ports, { principal, input, context }) {
    const {
      store,
      messages: { waits },
      inbound: { exchange },
    } = ports
    const { after, quietMs, waitMs } = input
    const askedAt = ports.now()
    const range = await rangeOf(ports, principal, input)
    await requireKnownPosition(store, principal.team.id, after)
    const { filter } = input
    const mailbox = { ...filter.mailbox, domain: range.domain }
    const view = searchOf(context, principal, { ...filter, mailbox }, askedAt)
    const settling = await beginSettling({ store, exchange, now: ports.now }, { view, range, quietMs, waitMs })
    const { look, lookAgain } = settling
    const waiting = { keyId: principal.keyId, waitMs, onGone: onGone(context), lookAgain }
    const settlement = (await waits.until(view, waiting, look)) ?? (await settling.giveUp())
    if (waitMs > 0) await authenticateAgain(ports.keys, principal)
    const { isSettled: settled, at, position, onItsWay, setAside, unknown } = settlement
    const came = { after: after ?? 0, upTo: position }
    const messages = await store.followMessages(view, { ...came, limit: MESSAGES_SHOWN })
    return {
      data: {
        settled,
        asOf: isoTime(at),
        ...(await countMatching(store, view, came.after, position)),
        messages: messages.slice(0, MESSAGES_SHOWN).map(presentSummary),
        onItsWay,
        setAside,
        unknown,
      },
      cursor: formatCursor(position),
    }
  },
})

/** The addresses that the caller asks about. Throws if it may not know of their mail, or if no team would get it. */
async function rangeOf(ports: RoutePorts, principal: Principal, asked: SettledParams): Promise<AddressRange> {
  const { team, mailbox: bound } = principal
  const { name, domain: given } = asked.filter.mailbox
  viewOf(principal, asked.filter, ports.now())
  const found = await ports.store.findTeamMailbox({ teamId: team.id, ...(bound ? { id: bound.id } : { name }) })
  const domain = given ?? found?.domain ?? team.domain ?? ports.site.rootDomain
  if (bound && found?.domain !== domain) throw forbidden()
  await requireReceiving(ports.inbound.scenarios, team.id, { domain, mailbox: name })
  return { domain, mailbox: name, tags: asked.tags }
}
