import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { Hono } from 'hono'
import { WebSocketServer } from 'ws'
import { AppError } from '../../domain/errors.ts'
import { refuseRoute } from '../../domain/route-refusal.ts'
import { createDownloads } from '../../http/downloads.ts'
import { refusalFor } from '../../http/errors.ts'
import { newRequestId } from '../../http/request-id.ts'
import { requireNotOverloaded } from '../../http/shedding.ts'
import { allowPages } from '../allow-pages.ts'
import type { DoorPorts, Enter, Peer } from '../door.ts'
import { refuseUpgrade } from '../upgrade.ts'
import type { MailpitEnvironment, MailpitPorts } from './caller.ts'
import { createEvents } from './events.ts'
import { addMessageRoutes } from './message-routes.ts'
import { addMessagesRoutes } from './messages-routes.ts'
import { addOtherRoutes } from './other-routes.ts'
import { createSearch } from './search.ts'

/** Clients have nothing to say. */
const CLIENT_BYTES_MAX = 1_024

/** Mailpit's API, version 1. docs/guide/mailpit-api.md lists what differs. */
export function createMailpit(given: DoorPorts): Peer {
  const search = createSearch(given.store)
  const events = createEvents(given)
  const ports: MailpitPorts = { ...given, search, events, downloads: createDownloads() }
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: CLIENT_BYTES_MAX,
  })

  async function open(enter: Enter, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const principal = await enter(new Headers(headers))
    const start = await events.begin(principal)
    webSockets.handleUpgrade(request, socket, head, (webSocket) => events.connect(principal, webSocket, start))
  }

  return {
    serve: (enter) => createRoutes(ports, enter),
    eventsPath: '/api/events',
    connect: (enter) => (request, socket, head) => {
      open(enter, request, socket, head).catch((error: unknown) => refuseUpgrade(socket, refusalFor(error)))
    },
    deleted(teamId, ids) {
      search.deleted(teamId, ids)
      events.deleted(teamId, ids)
    },
    close: events.close,
  }
}

function createRoutes(ports: MailpitPorts, enter: Enter): Hono<MailpitEnvironment> {
  const { log, isOverloaded, findProblems } = ports.observe
  const app = new Hono<MailpitEnvironment>()

  app.use(async (context, next) => {
    const requestId = newRequestId()
    context.set('requestId', requestId)
    await next()
    context.header('x-request-id', requestId)
    context.header('x-content-type-options', 'nosniff')
    context.header('referrer-policy', 'no-referrer')
    context.header('cache-control', 'no-store')
  })
  allowPages(app, ports.site)
  app.get('/livez', (context) => context.body(null, 200))
  app.get('/readyz', async (context) => {
    const problems = await findProblems()
    return problems.length === 0 ? context.body(null, 200) : context.text(problems.join('\n'), 503)
  })
  app.use(async (context, next) => {
    if (!['GET', 'HEAD'].includes(context.req.method)) requireNotOverloaded(isOverloaded)
    context.set('principal', await enter(context.req.raw.headers))
    await next()
  })
  app.get('/', (context) => context.text(`Mailhatch, with Mailpit's API. The dashboard is at ${ports.site.appUrl}/\n`))
  addMessagesRoutes(app, ports)
  addMessageRoutes(app, ports)
  addOtherRoutes(app, ports)

  const respond = ({ message, status, headers }: AppError) =>
    new Response(message, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
  app.notFound((context) => respond(refuseRoute(app.routes, context.req.path)))
  app.onError((error, context) => {
    if (!(error instanceof AppError)) {
      log.error({ err: error, requestId: context.get('requestId'), route: context.req.routePath }, 'a request failed')
    }
    return respond(refusalFor(error))
  })
  return app
}
