import { Hono } from 'hono'
import { answerErrors } from '../answer-errors.ts'
import type { Log } from '../observe/log.ts'
import type { Meters } from '../observe/meters.ts'
import type { AcceptAnnouncement } from '../intake/accept-announcement.ts'
import type { Store } from '../store/store.ts'
import type { MessageObjects } from '../bucket/message-objects.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { KeyRotated } from '../manage/keys.ts'
import type { Mailer } from '../manage/mailer.ts'
import type { EndpointPorts } from '../manage/endpoints.ts'
import type { Rejections } from '../manage/rejections.ts'
import type { Contents } from '../read/content.ts'
import type { Streams } from '../read/streams.ts'
import type { Waits } from '../read/wait.ts'
import { createAdmit } from './admit.ts'
import { addAuthRoutes } from './auth/auth-routes.ts'
import type { AuthPorts } from './auth/begin-session.ts'
import { allowOrigins } from './cors.ts'
import { addDashboard } from './dashboard.ts'
import { createDownloads } from './downloads.ts'
import type { ApiEnvironment } from './environment.ts'
import { refusalFor } from './errors.ts'
import { addBillingWebhook } from './billing-webhook.ts'
import { createKeyEndings } from './key-endings.ts'
import { addSessionDownloads } from './message-files.ts'
import { meterResponses } from './meter-responses.ts'
import { addMcpRoute } from './mcp.ts'
import { warnOfProxy } from './proxy-warning.ts'
import type { RateLimit } from './rate-limit.ts'
import { createReference } from './reference/reference.ts'
import { newRequestId } from './request-id.ts'
import { registerRoutes } from './routes/register.ts'
import { ROUTES } from './routes/routes.ts'
import { addRpcRoute } from './rpc/handle.ts'
import type { RpcPorts } from './rpc/ports.ts'
import { shedWrites } from './shedding.ts'
import { addViewRoute } from './view-route.ts'
import { createViewTokens } from './view-token.ts'

export type ApiPorts = Pick<
  RpcPorts,
  'subscriptions' | 'metrics' | 'billing' | 'domainProof' | 'resolveTxt' | 'defaultPlan' | 'unrouted' | 'receiveMail'
> & {
  store: Store
  waits: Waits
  streams: Streams
  log: Log
  /** Null if metrics are off. */
  meters: Meters | null
  newId: (now: number) => string
  now: () => number
  random: RandomInt
  hashKey: (key: string) => string
  keyRotated: KeyRotated
  /** Null if this program has no access to the bucket. */
  objects: MessageObjects | null
  contents: Contents
  /** Null if requests are not limited. */
  rateLimit: RateLimit | null
  /** Closes the streams and waits of a key that was deleted or rotated. */
  endKey: (keyId: string) => void
  rootDomain: string
  acceptAnnouncement: AcceptAnnouncement
  webhookSecret: string | null
  /** What the webhook endpoints of customers need. */
  webhooks: Pick<EndpointPorts, 'encryption' | 'allowedHosts' | 'attempt'>
  recordRejection: Rejections['record']
  isAllInOne: boolean
  allowedOrigins: string[]
  /** The public URL of this server. */
  appUrl: string
  /** The folder of the built dashboard. */
  dashboardFolder: string
  newSecret: () => string
  /** Sends account mail. Null if no relay is configured. */
  mailer: Mailer | null
  accounts: Pick<AuthPorts, 'passwords' | 'limits' | 'signUp' | 'oidc' | 'isBehindProxy'>
  recordKeyUse: (keyId: string) => void
  /** Wakes the sender of webhooks when a delivery is due. */
  wakeSender: () => void
  /** Where apps send their mail. Null if unknown. */
  smtp: { host: string; port: number } | null
  /** While it returns true, the API serves only reads. */
  isOverloaded: () => boolean
  /** Resolves to the current problems. An empty list means ready. */
  findProblems: () => Promise<string[]>
}

/** The API as a function from request to response. It needs no socket. */
export function createApi(ports: ApiPorts): Hono<ApiEnvironment> {
  const app = new Hono<ApiEnvironment>()
  const keyEndings = createKeyEndings(ports.now)
  const views = createViewTokens(ports)
  const downloads = createDownloads()
  const admit = createAdmit(ports)
  const reference = createReference({ appUrl: ports.appUrl ?? null }, ROUTES)
  answerErrors(app, { log: ports.log, newRequestId, refusalFor })
  if (ports.meters) meterResponses(app, ports.meters)
  warnOfProxy(app, ports)
  allowOrigins(app, ports.allowedOrigins)

  function endKey(keyId: string): void {
    keyEndings.record(keyId)
    ports.endKey(keyId)
  }

  registerRoutes(app, ROUTES, { ...ports, ...ports.webhooks, admit, keyEndings, downloads, endKey, reference })
  addMcpRoute(app, { ...ports, admit })
  for (const path of ['/auth/*', '/billing/*']) shedWrites(app, path, ports.isOverloaded)
  addSessionDownloads(app, { ...ports, downloads })
  addAuthRoutes(app, { ...ports, ...ports.accounts, endKey })
  addRpcRoute(app, { ...ports, newToken: ports.newSecret, endKey, views })
  addViewRoute(app, { ...ports, views, downloads })
  addBillingWebhook(app, ports)
  addDashboard(app, ports)

  return app
}
