import type { Hono } from 'hono'
import { signInByLink } from '../../manage/address-proof.ts'
import { signIn } from '../../manage/sign-in.ts'
import { signUp } from '../../manage/sign-up.ts'
import type { ApiEnvironment } from '../environment.ts'
import { readBody } from '../body.ts'
import { endedCookie } from '../session-cookie.ts'
import { findSession } from '../session.ts'
import { beginSession, clientOf, type AuthPorts } from './begin-session.ts'
import { signInBody, signUpBody, tokenBody } from './bodies.ts'

/** Sign-up, sign-in and sign-out. */
export function addSignInRoutes(app: Hono<ApiEnvironment>, ports: AuthPorts): void {
  app.get('/auth/methods', (context) => {
    const { signUp, oidc, mailer } = ports.accounts
    return context.json({ data: { password: true, signUp, oidc: oidc !== null, mail: mailer !== null } })
  })

  app.post('/auth/sign-up', async (context) => {
    const input = await readBody(context.req.raw, signUpBody)
    const user = await signUp(ports.accounts, { ...input, address: clientOf(ports.site, context).countedAs })
    if (user === 'check address') return context.json({ data: { status: 'check_address' } }, 202)
    await beginSession(ports, context, user)
    return context.json({ data: { status: 'signed_in', user: present(user) } }, 201)
  })

  app.post('/auth/sign-in', async (context) => {
    const given = await readBody(context.req.raw, signInBody)
    const { address, countedAs } = clientOf(ports.site, context)
    const user = await signIn(ports.accounts, { ...given, address, countedAs })
    await beginSession(ports, context, user)
    return context.json({ data: { status: 'signed_in', user: present(user) } })
  })

  app.post('/auth/link', async (context) => {
    const { token } = await readBody(context.req.raw, tokenBody)
    const userId = await signInByLink(ports.accounts, { token, address: clientOf(ports.site, context).countedAs })
    await beginSession(ports, context, { id: userId })
    return context.json({ data: { status: 'signed_in' } })
  })

  app.post('/auth/sign-out', async (context) => {
    const signedIn = await findSession(ports, context.req.raw)
    if (signedIn) await ports.store.removeSession({ id: signedIn.sessionId, userId: signedIn.user.id })
    context.header('set-cookie', endedCookie(ports.site))
    return context.json({ data: { status: 'signed_out' } })
  })
}

function present({ id, email, name }: { id: string; email: string; name: string }) {
  return { id, email, name }
}
