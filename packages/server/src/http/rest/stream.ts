import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Sink } from '../../read/stream.ts'
import type { Streams } from '../../read/streams.ts'
import type { ApiEnvironment } from '../app.ts'
import { readAsked, type AskingPorts } from '../asked-mailbox.ts'
import { readStreamParams } from '../message-params.ts'
import { searchParams } from '../query.ts'
import { connectedFrame } from '../sse-frames.ts'
import { viewOf } from '../view.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Proxies of the nginx kind would hold back what is to be seen at once.
  'x-accel-buffering': 'no',
}

/** To take what is still on its way when a stream is ended. */
const END_MS_MAX = 10_000

type Ports = AskingPorts & { streams: Streams; now: () => number }

export function addStreamRoute(app: Hono<ApiEnvironment>, { store, streams, now }: Ports) {
  app.get('/v1/messages/stream', async (context) => {
    const principal = context.get('principal')
    const lastEventId = context.req.header('last-event-id')
    const params = await readAsked({ store }, principal, searchParams(context.req.url), (query) =>
      readStreamParams(query, lastEventId),
    )
    const { filter } = viewOf(principal, params.filter, now())
    // Made as every other answer is, so that it has their headers too.
    const head = context.body(null, 200, HEADERS)
    if (context.req.method === 'HEAD') return head
    const { incoming, outgoing } = context.env
    if (!incoming || !outgoing) throw new Error('A stream needs a connection to write to.')
    const { socket } = incoming
    await streams.open({ principal, filter, after: params.after }, (gone) => {
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
  })
}

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
