import { Hono } from 'hono'
import type { Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { Log } from '../log.ts'
import type { Team, Store } from '../store/store.ts'
import type { Feed } from '../feed/feed.ts'
import type { Waits } from '../read/wait.ts'
import { authenticate } from './authenticate.ts'
import { allowOrigins } from './cors.ts'
import { answerErrors } from './errors.ts'
import { addInboxWebhook } from './rest/inbox-webhook.ts'
import { addMeRoute } from './rest/me.ts'
import { addMessageRoutes } from './rest/messages.ts'

export type ApiEnvironment = { Variables: { requestId: string; principal: Principal } }

export type ApiPorts = {
  store: Store
  feed: Feed
  waits: Waits
  log: Log
  newId: (now: number) => string
  now: () => number
  rootDomain: string
  catchAllTeam: () => Promise<Team | null>
  webhookSecret: string | null
  allowedOrigins: string[]
  recordKeyUse: (keyId: string) => void
  /** Resolves to what is wrong; an empty list means ready. */
  findTroubles: () => Promise<string[]>
}

const URL_CHARACTERS_MAX = 8 * 1024

/** The REST API as a function from requests to answers; it does not know whether a socket stands in front of it. */
export function createApi(ports: ApiPorts): Hono<ApiEnvironment> {
  const app = new Hono<ApiEnvironment>()
  answerErrors(app, ports.log)
  allowOrigins(app, ports.allowedOrigins)

  app.use(async (context, next) => {
    if (context.req.url.length > URL_CHARACTERS_MAX) {
      throw new AppError('url_too_long', `The URL is longer than ${URL_CHARACTERS_MAX} characters.`)
    }
    await next()
  })

  app.use('/v1/*', async (context, next) => {
    const principal = await authenticate(ports, context.req.header('authorization'))
    ports.recordKeyUse(principal.keyId)
    context.set('principal', principal)
    await next()
  })

  addMessageRoutes(app, ports)
  addMeRoute(app, ports)
  addInboxWebhook(app, { ...ports, secret: ports.webhookSecret })

  app.get('/health', (context) => context.json({ status: 'ok' }))
  app.get('/ready', async (context) => {
    const troubles = await ports.findTroubles()
    return troubles.length === 0
      ? context.json({ status: 'ready' })
      : context.json({ status: 'not ready', troubles }, 503)
  })

  refuseOtherMethods(app)
  return app
}

/** A known path with the wrong method is a 405, not a 404. */
function refuseOtherMethods(app: Hono<ApiEnvironment>): void {
  const methods = new Map<string, string[]>()
  for (const { path, method } of app.routes) {
    if (method !== 'ALL') methods.set(path, [...(methods.get(path) ?? []), method])
  }
  for (const [path, allowed] of methods) {
    app.all(path, () => {
      throw new AppError('method_not_allowed', `Use ${allowed.join(' or ')} here.`, {
        headers: { allow: allowed.join(', ') },
      })
    })
  }
}
