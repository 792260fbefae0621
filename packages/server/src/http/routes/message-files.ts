import { answerAttachment, answerRaw } from '../message-files.ts'
import { viewOf } from '../view.ts'
import { messageId } from './path-parameters.ts'
import { route } from './route.ts'

export const getRawMessage = route({
  method: 'get',
  path: '/v1/messages/{id}/raw',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Download the mail as it was received',
  description: 'The bytes that were received, unchanged.',
  params: { id: messageId },
  answers: {
    200: { description: 'The mail.', contentType: 'message/rfc822', headers: ['Content-Disposition'] },
  },
  errors: ['message_not_found', 'raw_unavailable', 'worker_unreachable', 'storage_unavailable'],
  handle: (ports, { principal, params: { id }, context }) =>
    answerRaw(ports, context, { view: viewOf(principal, {}, ports.now()), who: principal.keyId }, id),
})

export const getAttachment = route({
  method: 'get',
  path: '/v1/messages/{id}/attachments/{index}',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Download an attachment',
  description: 'The decoded bytes of one attachment, always as a download and never as something a browser would run.',
  params: {
    id: messageId,
    index: {
      description: 'Its `index` in the message, or `cid:` and its `contentId`.',
      example: '0',
      read: (text: string) => text,
    },
  },
  answers: {
    200: {
      description: 'The attachment, with its own content type.',
      contentType: '*/*',
      headers: ['Content-Disposition'],
    },
  },
  errors: ['message_not_found', 'raw_unavailable', 'worker_unreachable', 'storage_unavailable', 'server_busy'],
  handle: (ports, { principal, params, context }) =>
    answerAttachment(ports, context, { view: viewOf(principal, {}, ports.now()), who: principal.keyId }, params),
})
