import type { Context } from 'hono'
import type { StoredObject } from '../bucket/bucket.ts'
import type { Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { ApiEnvironment } from '../http/environment.ts'
import { viewOf, whileConnected } from '../http/view.ts'
import type { View } from '../store/messages.ts'
import type { DoorPorts } from './door.ts'
import type { WholeMail } from './mails.ts'

export type PeerEnvironment = {
  Bindings: ApiEnvironment['Bindings']
  Variables: { requestId: string; principal: Principal }
}
export type PeerContext = Context<PeerEnvironment>

export function viewFor({ now }: Pick<DoorPorts, 'now'>, context: PeerContext): View {
  return { ...viewOf(context.var.principal, {}, now()), proceed: whileConnected(context.env?.outgoing) }
}

/** For peers that mark what is opened. A message is shown even if it cannot be marked, for example on a full disk. */
export async function markOpened(
  { store, messages, observe }: Pick<DoorPorts, 'store' | 'messages' | 'observe'>,
  view: View,
  { positions }: WholeMail,
): Promise<void> {
  try {
    const isRead = (await store.readAmong(view.teamId, positions)).length === positions.length
    if (isRead) return
    await store.markMessages(view.teamId, positions, true)
    messages.subscriptions.marked(view.teamId)
  } catch (error) {
    observe.log.error({ err: error }, 'marking a message as read failed')
  }
}

/** For what the other mail catcher can do and this server cannot. */
export function notSupported(what: string): AppError {
  return new AppError('validation_failed', `Not supported by Mailhatch: ${what}`)
}

export function sendObject(
  context: PeerContext,
  { size, stream }: StoredObject,
  headers: Record<string, string>,
): Response {
  const { outgoing } = context.env ?? {}
  // The stream may hold a file open. Cancelling fails if a reader has it, and then the reader closes the file.
  const drop = () => void stream.cancel().catch(() => {})
  if (context.req.method === 'HEAD' || outgoing?.destroyed) drop()
  else outgoing?.once('close', drop)
  return context.body(stream, 200, { 'content-length': String(size), ...headers })
}
