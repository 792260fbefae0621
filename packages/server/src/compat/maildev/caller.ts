import { AppError } from '../../domain/errors.ts'
import type { Downloads } from '../../http/downloads.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import type { CountMails } from '../mail-counts.ts'
import { findMail, type WholeMail } from '../mails.ts'
import { fromShortId } from '../short-id.ts'
import type { Lists } from './lists.ts'

/** What the routes share. */
export type MaildevPorts = DoorPorts & { lists: Lists; counts: CountMails; downloads: Downloads }

/** The email that a path names. Throws 404 if there is none. */
export async function emailFor(ports: DoorPorts, context: PeerContext, given: string): Promise<WholeMail> {
  const id = fromShortId(given)
  const mail = id === null ? null : await findMail(ports.store, viewFor(ports, context), id)
  if (!mail) throw new AppError('message_not_found', 'Email was not found')
  return mail
}
