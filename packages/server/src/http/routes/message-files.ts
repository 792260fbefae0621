import { respondWithAttachment, respondWithRaw } from '../message-files.ts'
import { viewOf } from '../view.ts'
import { messageId } from './path-parameters.ts'
import { route } from './route.ts'

export const getRawMessage = route({
  method: 'get',
  path: '/v1/messages/{id}/raw',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Download the mail as it was received',
  description: 'Returns the mail byte for byte as it was received.',
  params: { id: messageId },
  answers: {
    200: { description: 'The mail.', contentType: 'message/rfc822', headers: ['Content-Disposition'] },
  },
  errors: ['message_not_found', 'raw_unavailable', 'worker_unreachable', 'storage_unavailable'],
  handle: (ports, { principal, params: { id }, context }) =>
    respondWithRaw(ports, context, { view: viewOf(principal, {}, ports.now()), who: principal.keyId }, id),
})

export const getAttachment = route({
  method: 'get',
  path: '/v1/messages/{id}/attachments/{index}',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Download an attachment',
  description:
    'Returns the decoded bytes of an attachment. The headers make browsers save the file instead of opening it.',
  params: {
    id: messageId,
    index: {
      description: '`index` of the attachment, or `cid:` and its `contentId`.',
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
    respondWithAttachment(ports, context, { view: viewOf(principal, {}, ports.now()), who: principal.keyId }, params),
})
