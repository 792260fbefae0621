import type { Hono } from 'hono'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { addInboxRoutes, type InboxPorts } from './admin-inboxes.ts'
import { addProviderRoutes } from './admin-provider.ts'
import { addRetryRoutes, type RetryPorts } from './admin-retry.ts'
import { addSetAsideRoute } from './admin-set-aside.ts'
import { requireToken } from './admin-token.ts'

export type AdminPorts = InboxPorts & RetryPorts

/** The admin API. Its token grants reading and deleting all mail. */
export function addAdminRoutes(app: Hono<AnswerEnvironment>, ports: AdminPorts): void {
  app.use('/admin/*', requireToken(ports.settings.adminToken))
  addInboxRoutes(app, ports)
  addRetryRoutes(app, ports)
  addSetAsideRoute(app, ports)
  addProviderRoutes(app, ports.settings)
}
