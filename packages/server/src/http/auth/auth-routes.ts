import type { Hono } from 'hono'
import type { ApiEnvironment } from '../environment.ts'
import { requireOrigin } from '../session.ts'
import { addAccountRoutes } from './account.ts'
import type { AuthPorts } from './begin-session.ts'
import { addOidcRoutes } from './oidc.ts'
import { addSignInRoutes } from './sign-in.ts'

/** Accounts and sessions of the dashboard. See docs/operate/accounts.md. */
export function addAuthRoutes(app: Hono<ApiEnvironment>, ports: AuthPorts): void {
  app.use('/auth/*', async (context, next) => {
    context.header('cache-control', 'no-store')
    if (!['GET', 'HEAD'].includes(context.req.method)) requireOrigin(ports.site, context.req.raw)
    return next()
  })
  addSignInRoutes(app, ports)
  addAccountRoutes(app, ports)
  addOidcRoutes(app, ports)
}
