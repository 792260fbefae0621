import type { Hono } from 'hono'
import { AppError } from '../../domain/errors.ts'
import { readAnnouncement } from '../../intake/announcement.ts'
import { intake } from '../../intake/intake.ts'
import { sharedWithinTurn } from '../../intake/shared-reads.ts'
import type { ApiEnvironment } from '../app.ts'
import { readJson } from '../body.ts'
import { bearerToken, secretCheck } from '../secret.ts'

/** A mail of 25 MiB announces at most 1 MiB of text and HTML each; the rest is room for other people's workers. */
const ANNOUNCEMENT_BYTES_MAX = 27 * 1024 * 1024

type IntakePorts = Parameters<typeof intake>[0]
type Ports = IntakePorts & { secret: string | null }

export function addInboxWebhook(app: Hono<ApiEnvironment>, ports: Ports): void {
  const intakePorts: IntakePorts = { ...ports, store: withSharedReads(ports.store) }
  const isSecret = ports.secret === null ? null : secretCheck(ports.secret)

  app.post('/webhooks/inbox', async (context) => {
    if (isSecret === null) throw new AppError('internal', 'Webhook secret not configured')
    const token = bearerToken(context.req.header('authorization'))
    if (token === null || !isSecret(token)) throw new AppError('unauthorized', 'Unauthorized')
    const body = await readJson(context.req.raw, { bytesMax: ANNOUNCEMENT_BYTES_MAX, status: 422 })
    const announcement = readAnnouncement(body, ports.rootDomain)
    const status = await intake(intakePorts, announcement)
    return context.json({ ok: true, status, inboxMessageId: announcement.id })
  })
}

function withSharedReads(store: IntakePorts['store']): IntakePorts['store'] {
  const keyOf = ({ domain, mailbox }: { domain: string; mailbox: string }) => `${mailbox}@${domain}`
  return {
    ...store,
    findInbox: sharedWithinTurn(store.findInbox, keyOf),
    findRootInbox: sharedWithinTurn(store.findRootInbox, keyOf),
  }
}
