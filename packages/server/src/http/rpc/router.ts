import { apiKeysRouter } from './api-keys.ts'
import { billingRouter } from './billing.ts'
import { metricsRouter, usageRouter } from './figures.ts'
import { inboxRouter } from './inbox.ts'
import type { RpcPorts } from './ports.ts'
import { router } from './procedures.ts'
import { scenariosRouter } from './scenarios.ts'
import { teamRouter } from './team.ts'
import { userRouter } from './user.ts'
import { webhooksRouter } from './webhooks.ts'

/** The procedures of the dashboard, called on behalf of the signed-in user. */
export function createRouter(ports: RpcPorts) {
  return router({
    team: teamRouter(ports),
    user: userRouter(ports),
    inbox: inboxRouter(ports),
    apiKeys: apiKeysRouter(ports),
    webhooks: webhooksRouter(ports),
    scenarios: scenariosRouter(ports),
    metrics: metricsRouter(ports),
    usage: usageRouter(ports),
    billing: billingRouter(ports),
  })
}

export type AppRouter = ReturnType<typeof createRouter>
