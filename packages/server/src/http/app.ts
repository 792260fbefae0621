import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { answerErrors } from '../answer-errors.ts'
import type { Principal } from '../domain/access.ts'
import type { Log } from '../log.ts'
import type { Meters } from '../meters.ts'
import type { TakeIn } from '../intake/take-in.ts'
import type { Store } from '../store/store.ts'
import type { Feed } from '../feed/feed.ts'
import type { MessageObjects } from '../bucket/message-objects.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { KeyRotated } from '../manage/keys.ts'
import type { Mailer } from '../manage/mailer.ts'
import type { EndpointPorts } from '../manage/endpoints.ts'
import type { Rejections } from '../manage/rejections.ts'
import type { Contents } from '../read/content.ts'
import type { Streams } from '../read/streams.ts'
import type { Waits } from '../read/wait.ts'
import type { AnswerCache } from './answer-cache.ts'
import { addAuthRoutes } from './auth/auth-routes.ts'
import type { AuthPorts } from './auth/begin-session.ts'
import { authenticate } from './authenticate.ts'
import { allowOrigins } from './cors.ts'
import { addDashboard } from './dashboard.ts'
import { createDownloads } from './downloads.ts'
import { refusalFor } from './errors.ts'
import { addBillingWebhook } from './billing-webhook.ts'
import { createKeyEndings } from './key-endings.ts'
import { meterAnswers } from './meter-answers.ts'
import { addMcpRoute } from './mcp.ts'
import { warnOfProxy } from './proxy-warning.ts'
import type { RateLimit } from './rate-limit.ts'
import { newRequestId } from './request-id.ts'
import { addContentRoutes } from './rest/content.ts'
import { addInboxWebhook } from './rest/inbox-webhook.ts'
import { addKeyRoutes } from './rest/keys.ts'
import { addMailboxRoutes } from './rest/mailboxes.ts'
import { addMeRoute } from './rest/me.ts'
import { addMessageRoutes } from './rest/messages.ts'
import { addReferenceRoutes } from './rest/reference.ts'
import { addRejectionRoutes } from './rest/rejections.ts'
import { addRemovalRoutes } from './rest/removal.ts'
import { addStreamRoute } from './rest/stream.ts'
import { addWebhookRoutes } from './rest/webhooks.ts'
import { addRpcRoute } from './rpc/handle.ts'
import type { RpcPorts } from './rpc/ports.ts'
import { shedWrites } from './shedding.ts'
import { addViewRoute } from './view-route.ts'
import { createViewTokens } from './view-token.ts'

/** The bindings are there when a socket is; a principal is where our own code asks in the name of a key it has checked. */
export type ApiEnvironment = {
  Bindings: Partial<HttpBindings> & { principal?: Principal }
  Variables: { requestId: string; principal: Principal; version: number | null }
}

export type ApiPorts = Pick<
  RpcPorts,
  'subscriptions' | 'metrics' | 'billing' | 'domainProof' | 'resolveTxt' | 'defaultPlan' | 'unrouted' | 'receiveMail'
> & {
  store: Store
  feed: Feed
  waits: Waits
  streams: Streams
  answers: Pick<AnswerCache, 'keep'>
  log: Log
  /** Null where nothing is counted. */
  meters: Meters | null
  newId: (now: number) => string
  now: () => number
  random: RandomInt
  hashKey: (key: string) => string
  keyRotated: KeyRotated
  /** Null where this program does not reach the bucket. */
  objects: MessageObjects | null
  contents: Contents
  /** Null where requests are not limited. */
  rateLimit: RateLimit | null
  /** The key is dead: whatever it holds open ends. */
  endKey: (keyId: string) => void
  rootDomain: string
  takeIn: TakeIn
  webhookSecret: string | null
  /** What endpoints of customers are made and told by. */
  webhooks: Pick<EndpointPorts, 'sealer' | 'allowedHosts' | 'attempt'>
  recordRejection: Rejections['record']
  isAllInOne: boolean
  allowedOrigins: string[]
  /** The address that people use. */
  appUrl: string
  /** Where the build of the dashboard lies. */
  dashboardFolder: string
  newSecret: () => string
  /** Mail of our own to people; null where there is no relay. */
  mailer: Mailer | null
  accounts: Pick<AuthPorts, 'passwords' | 'limits' | 'signUp' | 'oidc' | 'isBehindProxy'>
  recordKeyUse: (keyId: string) => void
  /** There is something due to be told to an endpoint. */
  wakeSender: () => void
  /** Where apps send their mail to, where it is known. */
  smtp: () => { host: string; port: number } | null
  /** While it says so, only what reads is answered. */
  isOverloaded: () => boolean
  /** Resolves to what is wrong; an empty list means ready. */
  findTroubles: () => Promise<string[]>
}

/** The REST API as a function from requests to answers; it does not know whether a socket stands in front of it. */
export function createApi(ports: ApiPorts): Hono<ApiEnvironment> {
  const app = new Hono<ApiEnvironment>()
  const keyEndings = createKeyEndings(ports.now)
  const views = createViewTokens(ports)
  const downloads = createDownloads()
  answerErrors(app, { log: ports.log, newRequestId, refusalFor })
  if (ports.meters) meterAnswers(app, ports.meters)
  warnOfProxy(app, ports)
  allowOrigins(app, ports.allowedOrigins)
  shedWrites(app, ports.isOverloaded)

  function endKey(keyId: string): void {
    keyEndings.record(keyId)
    ports.endKey(keyId)
  }

  async function admit(context: Context<ApiEnvironment>): Promise<Principal> {
    const principal = await authenticate(ports, context.req.header('authorization'))
    ports.recordKeyUse(principal.keyId)
    for (const [name, value] of Object.entries(ports.rateLimit?.(principal.team) ?? {})) context.header(name, value)
    return principal
  }

  app.use('/v1/*', async (context, next) => {
    // Before anything is read, so that what is committed meanwhile makes the answer outdated.
    context.set('version', ports.store.version())
    // Whoever calls without a socket may give no bindings at all.
    context.set('principal', context.env?.principal ?? (await admit(context)))
    return next()
  })

  // Before the messages, or its name would be taken for an id.
  addStreamRoute(app, ports)
  addMessageRoutes(app, { ...ports, keyEndings })
  addContentRoutes(app, { ...ports, downloads })
  addRemovalRoutes(app, ports)
  addMailboxRoutes(app, ports)
  addKeyRoutes(app, { ...ports, endKey })
  addWebhookRoutes(app, { ...ports, ...ports.webhooks })
  addRejectionRoutes(app, ports)
  addMeRoute(app, ports)
  addInboxWebhook(app, { ...ports, secret: ports.webhookSecret })
  addMcpRoute(app, { ...ports, admit })
  addAuthRoutes(app, { ...ports, ...ports.accounts, endKey })
  addRpcRoute(app, { ...ports, newToken: ports.newSecret, endKey, views })
  addViewRoute(app, { ...ports, views, downloads })
  addBillingWebhook(app, ports)
  addReferenceRoutes(app, { appUrl: ports.appUrl ?? null })

  app.get('/health', (context) => context.json({ status: 'ok' }))
  app.get('/ready', async (context) => {
    const troubles = await ports.findTroubles()
    return troubles.length === 0
      ? context.json({ status: 'ready' })
      : context.json({ status: 'not ready', troubles }, 503)
  })

  addDashboard(app, ports)

  return app
}
