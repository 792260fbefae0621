import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import type { Oidc, PendingSignIn } from '../../manage/oidc.ts'
import { signInByProvider } from '../../manage/provider-sign-in.ts'
import type { ApiEnvironment } from '../environment.ts'
import { cookieAttributes, cookieName, readCookie } from '../session-cookie.ts'
import { beginSession, type AuthPorts } from './begin-session.ts'

/** As long as one may take at the provider. */
const DEPARTURE_SECONDS = 600

const departureShape = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() })

/** Sign-in at a provider. Browsers are sent here, so all ends with a page: failures are told to the sign-in page. */
export function addOidcRoutes(app: Hono<ApiEnvironment>, ports: AuthPorts): void {
  app.get('/auth/oidc/start', (context) =>
    orSignInPage(ports, context, async () => {
      const { url, pending: departure } = await configured(ports).start()
      context.header('set-cookie', departureCookie(ports, write(departure), DEPARTURE_SECONDS))
      return context.redirect(url)
    }),
  )

  app.get('/auth/oidc/callback', (context) =>
    orSignInPage(ports, context, async () => {
      const oidc = configured(ports)
      const departure = read(readCookie(context.req.raw, departureName(ports)))
      context.header('set-cookie', departureCookie(ports, '', 0))
      if (!departure) throw new AppError('sign_in_refused', 'Begin to sign in from here.')
      const claims = await oidc.finish(new URL(context.req.url).search, departure)
      await beginSession(ports, context, { id: await signInByProvider(ports, claims) })
      return context.redirect(`${ports.appUrl}/`)
    }),
  )
}

function configured({ oidc }: AuthPorts): Oidc {
  if (!oidc) throw new AppError('not_found', 'Not found')
  return oidc
}

async function orSignInPage(
  { appUrl }: AuthPorts,
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

function departureName(ports: AuthPorts): string {
  return `${cookieName(ports)}-oidc`
}

/** Only the browser that left may come back: whoever else has the code lacks this cookie. */
function departureCookie(ports: AuthPorts, value: string, seconds: number): string {
  return `${departureName(ports)}=${value}; ${cookieAttributes(ports, seconds)}`
}

function write(departure: PendingSignIn): string {
  return Buffer.from(JSON.stringify(departure)).toString('base64url')
}

function read(cookie: string | null): PendingSignIn | null {
  try {
    return departureShape.parse(JSON.parse(Buffer.from(cookie ?? '', 'base64url').toString()))
  } catch {
    return null
  }
}
