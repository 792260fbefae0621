import { CURSOR_PATTERN } from '../domain/cursor.ts'
import { latestQuery, listQuery, removalQuery, streamQuery } from './message-params.ts'
import type { Operation } from './operations.ts'
import { ANSWERS } from './schemas.ts'

const MESSAGE_ID = { description: 'Id of the message.', example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24' }
const JSON_TYPE = 'application/json'

export const MESSAGE_OPERATIONS: Operation[] = [
  {
    id: 'listMessages',
    method: 'get',
    path: '/v1/messages',
    tag: 'Messages',
    summary: 'List messages',
    description:
      'Messages that match all given filters, newest first. An empty value counts as not given; parameters that are not listed here are ignored, unless one looks like a slip of one that is.\n\n' +
      'To follow everything, give `after`: the answer is then the first `limit` matches that became visible after that cursor. Pass on the `cursor` of each answer until `has_more` is false, then add `wait`; nothing is lost in between. When a wait runs out, `data` is empty.',
    access: 'reading key',
    query: listQuery,
    exampleQuery: 'mailbox=qa&limit=20',
    success: [{ status: 200, description: 'A page of messages.', contentType: JSON_TYPE, schema: ANSWERS.messagePage }],
    errors: [
      'mailbox_invalid',
      'validation_failed',
      'cursor_not_found',
      'too_many_waits',
      'server_busy',
      'shutting_down',
    ],
  },
  {
    id: 'latestMessage',
    method: 'get',
    path: '/v1/messages/latest',
    tag: 'Messages',
    summary: 'Get, or wait for, the newest match',
    description:
      'The newest message that matches all given filters. With `wait`, the answer is held until there is one.\n\n' +
      'To wait without a race, take `cursor` from `GET /v1/me`, make your app send its mail, then ask here with `after` and `wait`: mail that arrived before the call is found, older mail never. When the time runs out, or with `explain=1`, the 404 also says what did arrive and which parameters it did not meet.',
    access: 'reading key',
    query: latestQuery,
    exampleQuery: 'mailbox=qa%2B42&after=c9&wait=25',
    success: [
      {
        status: 200,
        description: 'The message, and the cursor of its own place.',
        contentType: JSON_TYPE,
        schema: ANSWERS.latestMessage,
      },
    ],
    errors: [
      'mailbox_invalid',
      'validation_failed',
      { code: 'message_not_found', sentence: 'No messages found' },
      'too_many_waits',
      'server_busy',
      'shutting_down',
    ],
  },
  {
    id: 'streamMessages',
    method: 'get',
    path: '/v1/messages/stream',
    tag: 'Messages',
    summary: 'Follow messages as server-sent events',
    description:
      'Each message that matches is pushed as it becomes visible: event `message.received`, data a MessageSummary, id its cursor. The first event is `connected`, and a `ping` comes at least every 10 seconds. The stream starts at now unless `after`, `since` or the header `Last-Event-ID` is given, resumes exactly where it was cut off, and ends when the key does.',
    access: 'reading key',
    query: streamQuery,
    headerParameters: {
      'Last-Event-ID': {
        description: 'Cursor of the last event seen, as browsers send it.',
        pattern: CURSOR_PATTERN,
        example: 'c9',
      },
    },
    exampleQuery: 'mailbox=qa',
    success: [
      {
        status: 200,
        description: 'Events, until either side ends them.',
        contentType: 'text/event-stream',
        example:
          'retry: 2000\nevent: connected\ndata: {"timestamp":"2026-01-31T12:00:00.000Z"}\n\n' +
          'event: message.received\nid: c10\ndata: {"id":"0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24","subject":"Your code is 123456"}\n\n' +
          'event: ping\ndata: {}\n\n',
      },
    ],
    errors: ['mailbox_invalid', 'validation_failed', 'too_many_streams', 'server_busy', 'shutting_down'],
  },
  {
    id: 'getMessage',
    method: 'get',
    path: '/v1/messages/{id}',
    tag: 'Messages',
    summary: 'Get a message',
    description: 'A message with its headers, bodies, codes, links and attachments.',
    access: 'reading key',
    pathParameters: { id: MESSAGE_ID },
    success: [{ status: 200, description: 'The message.', contentType: JSON_TYPE, schema: ANSWERS.message }],
    errors: ['message_not_found'],
  },
  {
    id: 'getRawMessage',
    method: 'get',
    path: '/v1/messages/{id}/raw',
    tag: 'Messages',
    summary: 'Download the mail as it was received',
    description: 'The bytes that were received, unchanged.',
    access: 'reading key',
    pathParameters: { id: MESSAGE_ID },
    success: [
      {
        status: 200,
        description: 'The mail.',
        contentType: 'message/rfc822',
        headers: ['Content-Disposition'],
      },
    ],
    errors: ['message_not_found', 'raw_unavailable', 'worker_unreachable', 'storage_unavailable'],
  },
  {
    id: 'getAttachment',
    method: 'get',
    path: '/v1/messages/{id}/attachments/{index}',
    tag: 'Messages',
    summary: 'Download an attachment',
    description:
      'The decoded bytes of one attachment, always as a download and never as something a browser would run.',
    access: 'reading key',
    pathParameters: {
      id: MESSAGE_ID,
      index: { description: 'Its `index` in the message, or `cid:` and its `contentId`.', example: '0' },
    },
    success: [
      {
        status: 200,
        description: 'The attachment, with its own content type.',
        contentType: '*/*',
        headers: ['Content-Disposition'],
      },
    ],
    errors: ['message_not_found', 'raw_unavailable', 'worker_unreachable', 'storage_unavailable', 'server_busy'],
  },
  {
    id: 'deleteMessage',
    method: 'delete',
    path: '/v1/messages/{id}',
    tag: 'Messages',
    summary: 'Delete a message',
    description:
      'The message and its raw bytes are gone before the answer. The same id cannot come in again for 30 days.',
    access: 'full key',
    pathParameters: { id: MESSAGE_ID },
    success: [{ status: 200, description: 'What was deleted.', contentType: JSON_TYPE, schema: ANSWERS.removed }],
    errors: ['message_not_found'],
  },
  {
    id: 'deleteMessages',
    method: 'delete',
    path: '/v1/messages',
    tag: 'Messages',
    summary: 'Delete every match',
    description: 'All messages that match the filters, of which at least one must be given.',
    access: 'full key',
    query: removalQuery,
    exampleQuery: 'mailbox=qa&tag=42',
    success: [
      { status: 200, description: 'How many there were.', contentType: JSON_TYPE, schema: ANSWERS.removedMany },
    ],
    errors: ['mailbox_invalid', 'validation_failed'],
  },
]
