import { Hono } from 'hono'
import { AppError } from '../domain/errors.ts'
import { refuseRoute } from '../domain/route-refusal.ts'
import { refusalFor } from '../http/errors.ts'
import { newRequestId } from '../http/request-id.ts'
import { requireNotOverloaded } from '../http/shedding.ts'
import { allowPages } from './allow-pages.ts'
import type { PeerEnvironment } from './caller.ts'
import type { DoorPorts, Enter } from './door.ts'
import { PEERS, type PeerName } from './peers.ts'

type Ports = Pick<DoorPorts, 'observe' | 'site'>

/** The routes of a peer, with what all of them have: health checks, access, headers, and errors as text. */
export function createRoutes(
  { observe: { log, isOverloaded, findProblems }, site }: Ports,
  enter: Enter,
  peer: { name: PeerName; addRoutes(app: Hono<PeerEnvironment>): void },
): Hono<PeerEnvironment> {
  const app = new Hono<PeerEnvironment>()

  app.use(async (context, next) => {
    const requestId = newRequestId()
    context.set('requestId', requestId)
    await next()
    context.header('x-request-id', requestId)
    context.header('x-content-type-options', 'nosniff')
    context.header('referrer-policy', 'no-referrer')
    context.header('cache-control', 'no-store')
  })
  allowPages(app, site)
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
  const greeting = `Mailhatch, with ${PEERS[peer.name]}'s API. The dashboard is at ${site.appUrl}/\n`
  app.get('/', (context) => context.text(greeting))
  peer.addRoutes(app)

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
