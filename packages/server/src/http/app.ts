import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Principal } from '../domain/access.ts'
import type { Log } from '../log.ts'
import type { Team, Store } from '../store/store.ts'
import type { Feed } from '../feed/feed.ts'
import type { Waits } from '../read/wait.ts'
import type { AnswerCache } from './answer-cache.ts'
import { authenticate } from './authenticate.ts'
import { allowOrigins } from './cors.ts'
import { answerErrors } from './errors.ts'
import { addInboxWebhook } from './rest/inbox-webhook.ts'
import { addMeRoute } from './rest/me.ts'
import { addMessageRoutes } from './rest/messages.ts'

/** The bindings are there when a socket is. */
export type ApiEnvironment = {
  Bindings: Partial<HttpBindings>
  Variables: { requestId: string; principal: Principal; version: number | null }
}

export type ApiPorts = {
  store: Store
  feed: Feed
  waits: Waits
  answers: Pick<AnswerCache, 'keep'>
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

/** The REST API as a function from requests to answers; it does not know whether a socket stands in front of it. */
export function createApi(ports: ApiPorts): Hono<ApiEnvironment> {
  const app = new Hono<ApiEnvironment>()
  answerErrors(app, ports.log)
  allowOrigins(app, ports.allowedOrigins)

  app.use('/v1/*', async (context, next) => {
    // Before anything is read, so that what is committed meanwhile makes the answer outdated.
    context.set('version', ports.store.version())
    const principal = await authenticate(ports, context.req.header('authorization'))
    ports.recordKeyUse(principal.keyId)
    context.set('principal', principal)
    return next()
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

  return app
}
