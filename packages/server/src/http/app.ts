import { Hono } from 'hono'
import { answerErrors } from '../answer-errors.ts'
import { createAdmit } from './admit.ts'
import { addAuthRoutes } from './auth/auth-routes.ts'
import { corsHeaders } from './cors.ts'
import { addDashboard } from './dashboard.ts'
import { createDownloads } from './downloads.ts'
import type { ApiEnvironment } from './environment.ts'
import { refusalFor } from './errors.ts'
import { addBillingWebhook } from './billing-webhook.ts'
import { addSessionDownloads } from './message-files.ts'
import { addMetricsRoute, meterResponses } from './meter-responses.ts'
import { addMcpRoute } from './mcp.ts'
import type { ApiPorts } from './ports.ts'
import { proxyWarning } from './proxy-warning.ts'
import { createReference } from './reference/reference.ts'
import { newRequestId } from './request-id.ts'
import { createRouter } from './router.ts'
import { registerRoutes } from './routes/register.ts'
import { ROUTES } from './routes/routes.ts'
import { addRpcRoute } from './rpc/handle.ts'
import { shedWrites } from './shedding.ts'
import { addViewRoute } from './view-route.ts'
import { createViewTokens } from './view-token.ts'

/** The API as a function from request to response. It needs no socket. */
export function createApi(ports: ApiPorts): Hono<ApiEnvironment> {
  const { keys, webhooks, teams, accounts, inbound, site, observe, now } = ports
  const app = new Hono<ApiEnvironment>({ router: createRouter() })
  const views = createViewTokens({ encryption: webhooks.encryption, newSecret: accounts.newSecret, now })
  const downloads = createDownloads()
  const admit = createAdmit(keys)
  const reference = createReference({ appUrl: site.appUrl ?? null }, ROUTES)
  if (observe.meters) meterResponses(app, observe.meters)
  const earlySteps = [proxyWarning(ports), corsHeaders(app, site.allowedOrigins)]
  answerErrors(app, { log: observe.log, newRequestId, refusalFor }, earlySteps)

  if (observe.meters) addMetricsRoute(app, observe.meters)
  registerRoutes(app, ROUTES, { ...ports, admit, downloads, reference })
  addMcpRoute(app, { admit, site, smtp: inbound.worker?.smtp ?? null, random: keys.random })
  for (const path of ['/auth/*', '/billing/*']) shedWrites(app, path, observe.isOverloaded)
  addSessionDownloads(app, { ...ports, downloads })
  addAuthRoutes(app, ports)
  addRpcRoute(app, { ...ports, views })
  addViewRoute(app, { ...ports, views, downloads })
  addBillingWebhook(app, teams)
  addDashboard(app, site)

  return app
}
