import { AppError } from '../../domain/errors.ts'
import type { Downloads } from '../../http/downloads.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import { fromShortId } from '../short-id.ts'
import type { Turns } from '../turns.ts'
import type { MailhogEvents } from './events.ts'
import type { MailhogSearch } from './search.ts'
import type { MessageWriter } from './write-messages.ts'

/** What the routes share. */
export type MailhogPorts = DoorPorts & {
  search: MailhogSearch
  write: MessageWriter
  inLargeTurn: Turns
  events: MailhogEvents
  downloads: Downloads
}

/** The message that the path names. Null if the caller sees no such message. */
export async function findMessage(ports: MailhogPorts, context: PeerContext): Promise<StoredMessage | null> {
  const id = fromShortId(context.req.param('id') ?? '')
  return id === null ? null : ports.store.findMessage(viewFor(ports, context), id)
}

export async function requireMessage(ports: MailhogPorts, context: PeerContext): Promise<StoredMessage> {
  const message = await findMessage(ports, context)
  if (!message) throw new AppError('message_not_found', 'Message not found')
  return message
}
