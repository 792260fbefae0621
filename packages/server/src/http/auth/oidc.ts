import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { Oidc, PendingSignIn } from '../../manage/oidc.ts'
import { signInByProvider } from '../../manage/provider-sign-in.ts'
import type { ApiEnvironment } from '../environment.ts'
import { cookieAttributes, cookieName, readCookie } from '../session-cookie.ts'
import { beginSession, type AuthPorts } from './begin-session.ts'

/** The time to sign in at the provider. */
const PENDING_SECONDS = 600

const pendingShape = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() })

/** Sign-in through a provider. Browsers navigate here, so errors redirect to the sign-in page. */
export function addOidcRoutes(app: Hono<ApiEnvironment>, ports: AuthPorts): void {
  app.get('/auth/oidc/start', (context) =>
    orRedirectToSignIn(ports.site, context, async () => {
      const { url, pending } = await requireOidc(ports.accounts).start()
      context.header('set-cookie', pendingCookie(ports.site, encodePending(pending), PENDING_SECONDS))
      return context.redirect(url)
    }),
  )

  app.get('/auth/oidc/callback', (context) =>
    orRedirectToSignIn(ports.site, context, async () => {
      const oidc = requireOidc(ports.accounts)
      const pending = decodePending(readCookie(context.req.raw, pendingCookieName(ports.site)))
      context.header('set-cookie', pendingCookie(ports.site, '', 0))
      if (!pending) throw new AppError('sign_in_refused', 'Start signing in from this page.')
      const claims = await oidc.finish(new URL(context.req.url).search, pending)
      await beginSession(ports, context, { id: await signInByProvider(ports.accounts, claims) })
      return context.redirect(`${ports.site.appUrl}/`)
    }),
  )
}

function requireOidc({ oidc }: AuthPorts['accounts']): Oidc {
  if (!oidc) throw new AppError('not_found', 'Not found')
  return oidc
}

async function orRedirectToSignIn(
  { appUrl }: AuthPorts['site'],
  context: Context<ApiEnvironment>,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'not_found') throw error
    return context.redirect(`${appUrl}/sign-in?error=${error.code}`)
  }
}

function pendingCookieName(site: AuthPorts['site']): string {
  return `${cookieName(site)}-oidc`
}

/** Binds the sign-in to the browser that started it. Another browser with the same code lacks this cookie. */
function pendingCookie(site: AuthPorts['site'], value: string, seconds: number): string {
  return `${pendingCookieName(site)}=${value}; ${cookieAttributes(site, seconds)}`
}

function encodePending(pending: PendingSignIn): string {
  return Buffer.from(JSON.stringify(pending)).toString('base64url')
}

function decodePending(cookie: string | null): PendingSignIn | null {
  try {
    return pendingShape.parse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()))
  } catch {
    return null
  }
}
