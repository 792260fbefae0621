import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { CURSOR_PATTERN } from '../../domain/cursor.ts'
import type { Sink } from '../../read/stream.ts'
import { readLastEventId, streamQuery, toStreamParams } from '../message-params.ts'
import { connectedFrame } from '../sse-frames.ts'
import { viewOf } from '../view.ts'
import { route } from './route.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Without it, nginx and similar proxies buffer events.
  'x-accel-buffering': 'no',
}

/** For the client to read the rest when the server ends a stream. */
const END_MS_MAX = 10_000

export const streamMessages = route({
  method: 'get',
  path: '/v1/messages/stream',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Follow messages as server-sent events',
  description:
    'Sends each matching message when it becomes visible, as the event `message.received` with a MessageSummary as data and its cursor as id. The first event is `connected`, and a `ping` follows at least every 10 seconds. The stream starts now, or at `after`, `since` or the header `Last-Event-ID`. A client that reconnects with `Last-Event-ID` misses nothing. The stream ends when the key is deleted, rotated or expires.',
  query: streamQuery,
  exampleQuery: 'mailbox=qa',
  headers: {
    'Last-Event-ID': {
      description: 'Cursor of the last event received. Browsers send it when they reconnect.',
      pattern: CURSOR_PATTERN,
      example: 'c9',
      read: readLastEventId,
    },
  },
  answers: {
    200: {
      description: 'Events until the client or the server closes the stream.',
      contentType: 'text/event-stream',
      example:
        'retry: 2000\nevent: connected\ndata: {"timestamp":"2026-01-31T12:00:00.000Z"}\n\n' +
        'event: message.received\nid: c10\ndata: {"id":"0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24","subject":"Your code is 123456"}\n\n' +
        'event: ping\ndata: {}\n\n',
    },
  },
  errors: ['mailbox_invalid', 'validation_failed', 'too_many_streams', 'server_busy', 'shutting_down'],
  validate: (_, { query, headers }) => toStreamParams(query, headers['Last-Event-ID']),
  async handle({ messages, now }, { principal, input, context }) {
    const { filter } = viewOf(principal, input.filter, now())
    // Created by the framework, so that it has the headers of every other response.
    const head = context.body(null, 200, HEADERS)
    if (context.req.method === 'HEAD') return head
    const { incoming, outgoing } = context.env
    if (!incoming || !outgoing) throw new Error('A stream needs a connection to write to.')
    const { socket } = incoming
    await messages.streams.open({ principal, filter, after: input.after }, (gone) => {
      outgoing.writeHead(200, Object.fromEntries(head.headers))
      outgoing.write(connectedFrame(now()))
      // Not the `close` of the response, which is not emitted while an earlier response on the connection is
      // unfinished. One connection may have many streams, so the number of listeners is not limited.
      socket.setMaxListeners(0)
      if (socket.destroyed) gone()
      socket.once('close', gone)
      outgoing.once('finish', () => socket.off('close', gone))
      return sinkOf(outgoing)
    })
    return RESPONSE_ALREADY_SENT
  },
})

/** Writes directly to the connection, because a web stream would cost several times as much. */
function sinkOf(outgoing: ServerResponse): Sink {
  return {
    write: (bytes) => void outgoing.write(bytes),
    waitingBytes: () => outgoing.writableLength,
    drained: () =>
      new Promise((resolve) => {
        if (outgoing.writableNeedDrain) outgoing.once('drain', resolve)
        else resolve()
      }),
    end() {
      outgoing.end()
      // A client that does not read would keep its connection open.
      const deadline = setTimeout(() => outgoing.destroy(), END_MS_MAX).unref()
      outgoing.once('close', () => clearTimeout(deadline))
    },
    cut: () => void outgoing.destroy(),
  }
}
