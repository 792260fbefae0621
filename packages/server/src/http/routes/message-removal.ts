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
    'The message and its raw mail are deleted before the response. Announcing the same id again within 30 days is answered as `duplicate` and stores nothing.',
  params: { id: messageId },
  answers: { 200: data('Id of the deleted message.', removed) },
  errors: ['message_not_found'],
  async handle(ports, { principal, params: { id } }) {
    const view = viewOf(principal, {}, ports.now())
    const message = await ports.store.findMessage(view, id)
    const count = message ? await removeMessages(ports.messages, view.teamId, [message.position]) : 0
    if (count === 0) throw messageNotFound()
    return { data: { id } }
  },
})

export const deleteMessages = route({
  method: 'delete',
  path: '/v1/messages',
  access: 'api.full',
  tag: 'Messages',
  summary: 'Delete all matching messages',
  description: 'Deletes all messages that match the filters. At least one filter is required.',
  query: removalQuery,
  exampleQuery: 'mailbox=qa&tag=42',
  answers: {
    200: data(
      'The number of deleted messages.',
      z.strictObject({ deleted: count.meta({ description: 'How many messages were deleted.' }) }),
    ),
  },
  errors: ['mailbox_invalid', 'validation_failed'],
  validate: (_, { query, search }) => toRemovalParams(query, search),
  async handle(ports, { principal, input: { filter, after } }) {
    return { data: { deleted: await removeMatching(ports.messages, viewOf(principal, filter, ports.now()), after) } }
  },
})
