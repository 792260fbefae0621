import type { Context, Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { claimByLink } from '../../manage/address-proof.ts'
import { changePassword, requestReset } from '../../manage/password-change.ts'
import type { ApiEnvironment } from '../environment.ts'
import { readBody } from '../body.ts'
import { isoTime } from '../present.ts'
import { requireSession } from '../session.ts'
import { endedCookie } from '../session-cookie.ts'
import { beginSession, clientOf, type AuthPorts } from './begin-session.ts'
import { chosenBody, emailBody, passwordBody } from './bodies.ts'

/** Sessions and password of the signed-in user. */
export function addAccountRoutes(app: Hono<ApiEnvironment>, ports: AuthPorts): void {
  app.get('/auth/sessions', async (context) => {
    const { user, sessionId } = await requireSession(ports, context.req.raw)
    const sessions = await ports.store.listSessions(user.id, ports.now())
    const data = sessions.map(({ id, createdAt, lastSeenAt, expiresAt, userAgent, address }) => ({
      id,
      isCurrent: id === sessionId,
      userAgent,
      address,
      createdAt: isoTime(createdAt),
      lastSeenAt: isoTime(lastSeenAt),
      expiresAt: isoTime(expiresAt),
    }))
    return context.json({ data })
  })

  app.delete('/auth/sessions/:id', async (context) => {
    const { user, sessionId } = await requireSession(ports, context.req.raw)
    const id = context.req.param('id')
    if (!(await ports.store.removeSession({ id, userId: user.id }))) throw new AppError('not_found', 'Not found')
    if (id === sessionId) context.header('set-cookie', endedCookie(ports.site))
    return context.json({ data: { id } })
  })

  app.post('/auth/sign-out-everywhere', async (context) => {
    const { user } = await requireSession(ports, context.req.raw)
    await ports.store.removeSessions(user.id)
    context.header('set-cookie', endedCookie(ports.site))
    return context.json({ data: { status: 'signed_out' } })
  })

  app.post('/auth/password', async (context) => {
    const signedIn = await requireSession(ports, context.req.raw)
    const { current, new: password } = await readBody(context.req.raw, passwordBody)
    await changePassword(ports.accounts, signedIn, { current, password })
    return context.json({ data: { status: 'changed' } })
  })

  app.post('/auth/reset/request', async (context) => {
    const { email } = await readBody(context.req.raw, emailBody)
    requestReset(ports.accounts, { email, address: clientOf(ports.site, context).countedAs })
    return context.json({ data: { status: 'requested' } })
  })

  app.post('/auth/reset', async (context) => {
    await signInByMail(context, 'reset')
    return context.json({ data: { status: 'signed_in' } })
  })

  app.post('/auth/check', async (context) => {
    await signInByMail(context, 'check')
    return context.json({ data: { status: 'signed_in' } })
  })

  async function signInByMail(context: Context<ApiEnvironment>, purpose: 'check' | 'reset'): Promise<void> {
    const chosen = await readBody(context.req.raw, chosenBody)
    const userId = await claimByLink(ports.accounts, purpose, {
      ...chosen,
      address: clientOf(ports.site, context).countedAs,
    })
    await beginSession(ports, context, { id: userId })
  }
}
