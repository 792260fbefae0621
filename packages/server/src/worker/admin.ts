import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { AnswerEnvironment } from '../answer-errors.ts'
import { AppError } from '../domain/errors.ts'
import { addInboxRoutes, type InboxPorts } from './admin-inboxes.ts'
import { addProviderRoutes } from './admin-provider.ts'
import { addRetryRoutes, type RetryPorts } from './admin-retry.ts'
import { addSetAsideRoute } from './admin-set-aside.ts'
import { requireToken } from './admin-token.ts'

/** The largest valid body contains one domain name. */
const BODY_BYTES_MAX = 16 * 1024

export type AdminPorts = InboxPorts & RetryPorts

/** The admin API. Its token grants reading and deleting all mail. */
export function addAdminRoutes(app: Hono<AnswerEnvironment>, ports: AdminPorts): void {
  app.use('/admin/*', requireToken(ports.settings.adminToken))
  app.use(
    '/admin/*',
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      onError() {
        throw new AppError('payload_too_large', `The body is larger than ${BODY_BYTES_MAX} bytes.`, {
          // The rest of the body is not read, so the connection cannot be reused.
          headers: { connection: 'close' },
        })
      },
    }),
  )
  addInboxRoutes(app, ports)
  addRetryRoutes(app, ports)
  addSetAsideRoute(app, ports)
  addProviderRoutes(app, ports.settings)
}
