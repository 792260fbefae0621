import { z } from 'zod'
import { removeMatching, removeMessages } from '../../manage/removal.ts'
import { removalQuery, toRemovalParams } from '../message-params.ts'
import { removed } from '../shapes/shapes.ts'
import { count } from '../shapes/shape-parts.ts'
import { viewOf } from '../view.ts'
import { messageId, messageNotFound } from './path-parameters.ts'
import { data, route } from './route.ts'

export const deleteMessage = route({
  method: 'delete',
  path: '/v1/messages/{id}',
  access: 'api.full',
  tag: 'Messages',
  summary: 'Delete a message',
  description:
    'The message and its raw bytes are gone before the answer. The same id cannot come in again for 30 days.',
  params: { id: messageId },
  answers: { 200: data('What was deleted.', removed) },
  errors: ['message_not_found'],
  async handle(ports, { principal, params: { id } }) {
    const view = viewOf(principal, {}, ports.now())
    const message = await ports.store.findMessage(view, id)
    const count = message ? await removeMessages(ports, view.teamId, [message.position]) : 0
    if (count === 0) throw messageNotFound()
    return { data: { id } }
  },
})

export const deleteMessages = route({
  method: 'delete',
  path: '/v1/messages',
  access: 'api.full',
  tag: 'Messages',
  summary: 'Delete every match',
  description: 'All messages that match the filters, of which at least one must be given.',
  query: removalQuery,
  exampleQuery: 'mailbox=qa&tag=42',
  answers: {
    200: data(
      'How many there were.',
      z.strictObject({ deleted: count.meta({ description: 'How many messages were deleted.' }) }),
    ),
  },
  errors: ['mailbox_invalid', 'validation_failed'],
  validate: (_, { query, search }) => toRemovalParams(query, search),
  async handle(ports, { principal, input: { filter, after } }) {
    return { data: { deleted: await removeMatching(ports, viewOf(principal, filter, ports.now()), after) } }
  },
})
