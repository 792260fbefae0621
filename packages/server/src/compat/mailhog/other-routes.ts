import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { notSupported, type PeerEnvironment } from '../caller.ts'
import { COMMON_HEADERS } from '../common-headers.ts'
import { streamClient } from '../event-client.ts'
import type { MailhogPorts } from './caller.ts'

const JIM = 'Jim. Scenarios make the server refuse, delay or cut mail for an address: POST /v1/scenarios.'

/** As in MailHog, a line with a name that clients ignore. */
const KEEP_ALIVE = Buffer.from('keepalive: \n\n')

const STREAM_HEADERS = {
  ...COMMON_HEADERS,
  'content-type': 'text/event-stream',
  // Without it, nginx and similar proxies buffer events.
  'x-accel-buffering': 'no',
}

/** Events as a stream, and what belongs to sending mail. */
export function addOtherRoutes(app: Hono<PeerEnvironment>, { events }: MailhogPorts): void {
  app.get('/api/v1/events', async (context) => {
    const head = context.body(null, 200, STREAM_HEADERS)
    if (context.req.method === 'HEAD') return head
    const { outgoing } = context.env
    if (!outgoing) throw new Error('A stream needs a connection to write to.')
    const { principal } = context.var
    const start = await events.begin(principal)
    const toFrame = (text: Buffer) => Buffer.concat([Buffer.from('data: '), text, Buffer.from('\n\n')])
    events.connect(principal, start, () => {
      outgoing.writeHead(200, Object.fromEntries(head.headers))
      outgoing.flushHeaders()
      return streamClient(outgoing, { toFrame, keepAlive: KEEP_ALIVE })
    })
    return RESPONSE_ALREADY_SENT
  })

  // Without Jim, MailHog responds with the same status.
  app.on(['GET', 'PUT', 'DELETE'], '/api/v2/jim', () => {
    throw new AppError('not_found', notSupported(JIM).message)
  })
  app.post('/api/v2/jim', () => {
    throw notSupported(JIM)
  })
  app.get('/api/v2/outgoing-smtp', (context) => context.json({}))
}
