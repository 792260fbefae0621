import { Hono } from 'hono'
import { AppError } from '../domain/errors.ts'
import { refuseRoute } from '../domain/route-refusal.ts'
import { refusalFor } from '../http/errors.ts'
import { newRequestId } from '../http/request-id.ts'
import { requireNotOverloaded } from '../http/shedding.ts'
import { whileConnected } from '../http/view.ts'
import { allowPages } from './allow-pages.ts'
import type { PeerEnvironment } from './caller.ts'
import { COMMON_HEADERS } from './common-headers.ts'
import { CAUGHT_UP_MS_MAX, type DoorPorts, type Enter } from './door.ts'
import { PEERS, type PeerName } from './peers.ts'

type Ports = Pick<DoorPorts, 'inbound' | 'observe' | 'site'>

type PeerRoutes = {
  name: PeerName
  /** Whether a path with a slash at its end is the one without. */
  ignoresLastSlash: boolean
  addRoutes(app: Hono<PeerEnvironment>): void
  /** Its health checks, which need no key, if they are not `/livez` and `/readyz`. */
  addHealthChecks?(app: Hono<PeerEnvironment>): void
  /** How it writes an error, if not as text. */
  contentOf?(refusal: AppError): { type: string; body: string }
}

/** The routes of a peer, with what all of them have: health checks, access, headers, and errors. */
export function createRoutes(
  { inbound, observe, site }: Ports,
  enter: Enter,
  { name, ignoresLastSlash, addRoutes, addHealthChecks = addCommonChecks(observe), contentOf = asText }: PeerRoutes,
): Hono<PeerEnvironment> {
  const app = new Hono<PeerEnvironment>({ strict: !ignoresLastSlash })

  app.use(async (context, next) => {
    const requestId = newRequestId()
    context.set('requestId', requestId)
    await next()
    context.header('x-request-id', requestId)
    for (const [name, value] of Object.entries(COMMON_HEADERS)) context.header(name, value)
  })
  allowPages(app, site)
  addHealthChecks(app)
  app.use(async (context, next) => {
    if (!['GET', 'HEAD'].includes(context.req.method)) requireNotOverloaded(observe.isOverloaded)
    context.set('principal', await enter(context.req.raw.headers))
    // So that a list after the 250 has the mail, and a deletion of all messages leaves none.
    await inbound.worker?.caughtUp(CAUGHT_UP_MS_MAX)
    whileConnected(context.env?.outgoing)()
    await next()
  })
  const greeting = `Mailhatch, with ${PEERS[name]}'s API. The dashboard is at ${site.appUrl}/\n`
  app.get('/', (context) => context.text(greeting))
  addRoutes(app)

  const respond = (refusal: AppError) => {
    const { type, body } = contentOf(refusal)
    return new Response(body, { status: refusal.status, headers: { ...refusal.headers, 'content-type': type } })
  }
  app.notFound(({ req: { path } }) => {
    const known = ignoresLastSlash && path.endsWith('/') ? path.slice(0, -1) : path
    return respond(refuseRoute(app.routes, known))
  })
  app.onError((error, context) => {
    if (!(error instanceof AppError)) {
      const request = { requestId: context.get('requestId'), route: context.req.routePath }
      observe.log.error({ err: error, ...request }, 'a request failed')
    }
    return respond(refusalFor(error))
  })
  return app
}

function addCommonChecks({ findProblems }: Pick<DoorPorts['observe'], 'findProblems'>) {
  return (app: Hono<PeerEnvironment>) => {
    app.get('/livez', (context) => context.body(null, 200))
    app.get('/readyz', async (context) => {
      const problems = await findProblems()
      return problems.length === 0 ? context.body(null, 200) : context.text(problems.join('\n'), 503)
    })
  }
}

function asText({ message }: AppError): { type: string; body: string } {
  return { type: 'text/plain; charset=utf-8', body: message }
}
