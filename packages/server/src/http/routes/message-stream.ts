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
  // Proxies of the nginx kind would hold back what is to be seen at once.
  'x-accel-buffering': 'no',
}

/** To take what is still on its way when a stream is ended. */
const END_MS_MAX = 10_000

export const streamMessages = route({
  method: 'get',
  path: '/v1/messages/stream',
  access: 'any scope',
  tag: 'Messages',
  summary: 'Follow messages as server-sent events',
  description:
    'Each message that matches is pushed as it becomes visible: event `message.received`, data a MessageSummary, id its cursor. The first event is `connected`, and a `ping` comes at least every 10 seconds. The stream starts at now unless `after`, `since` or the header `Last-Event-ID` is given, resumes exactly where it was cut off, and ends when the key does.',
  query: streamQuery,
  exampleQuery: 'mailbox=qa',
  headers: {
    'Last-Event-ID': {
      description: 'Cursor of the last event seen, as browsers send it.',
      pattern: CURSOR_PATTERN,
      example: 'c9',
      read: readLastEventId,
    },
  },
  answers: {
    200: {
      description: 'Events, until either side ends them.',
      contentType: 'text/event-stream',
      example:
        'retry: 2000\nevent: connected\ndata: {"timestamp":"2026-01-31T12:00:00.000Z"}\n\n' +
        'event: message.received\nid: c10\ndata: {"id":"0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24","subject":"Your code is 123456"}\n\n' +
        'event: ping\ndata: {}\n\n',
    },
  },
  errors: ['mailbox_invalid', 'validation_failed', 'too_many_streams', 'server_busy', 'shutting_down'],
  validate: (_, { query, headers }) => toStreamParams(query, headers['Last-Event-ID']),
  async handle({ streams, now }, { principal, input, context }) {
    const { filter } = viewOf(principal, input.filter, now())
    // Made as every other answer is, so that it has their headers too.
    const head = context.body(null, 200, HEADERS)
    if (context.req.method === 'HEAD') return head
    const { incoming, outgoing } = context.env
    if (!incoming || !outgoing) throw new Error('A stream needs a connection to write to.')
    const { socket } = incoming
    await streams.open({ principal, filter, after: input.after }, (gone) => {
      outgoing.writeHead(200, Object.fromEntries(head.headers))
      outgoing.write(connectedFrame(now()))
      // Not the response's own `close`, which does not come while an earlier answer on the connection is unfinished;
      // and there may be many such.
      socket.setMaxListeners(0)
      if (socket.destroyed) gone()
      socket.once('close', gone)
      outgoing.once('finish', () => socket.off('close', gone))
      return sinkOf(outgoing)
    })
    return RESPONSE_ALREADY_SENT
  },
})

/** Straight to the connection: a web stream in between would cost several times as much. */
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
      // One that does not read would keep its connection for ever.
      const deadline = setTimeout(() => outgoing.destroy(), END_MS_MAX).unref()
      outgoing.once('close', () => clearTimeout(deadline))
    },
    cut: () => void outgoing.destroy(),
  }
}
