import { AppError } from '../../domain/errors.ts'
import type { Downloads } from '../../http/downloads.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import { fromShortId } from '../short-id.ts'
import type { Lists } from './lists.ts'

/** What the routes share. */
export type MaildevPorts = DoorPorts & { lists: Lists; downloads: Downloads }

/** The message that a path names. Throws 404 if there is none. */
export async function messageFor(ports: DoorPorts, context: PeerContext, given: string): Promise<StoredMessage> {
  const id = fromShortId(given)
  const message = id === null ? null : await ports.store.findMessage(viewFor(ports, context), id)
  if (!message) throw new AppError('message_not_found', 'Email was not found')
  return message
}
