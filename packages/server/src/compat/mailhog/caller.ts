import { AppError } from '../../domain/errors.ts'
import type { Downloads } from '../../http/downloads.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import type { CountMails } from '../mail-counts.ts'
import { findMail, type WholeMail } from '../mails.ts'
import { fromShortId } from '../short-id.ts'
import type { MailhogEvents } from './events.ts'
import type { MailhogSearch } from './search.ts'
import type { MailWriter } from './write-messages.ts'

/** What the routes share. */
export type MailhogPorts = DoorPorts & {
  search: MailhogSearch
  counts: CountMails
  writer: MailWriter
  events: MailhogEvents
  downloads: Downloads
}

/** The mail that the path names. Null if the caller sees no such mail. */
export async function findNamed(ports: MailhogPorts, context: PeerContext): Promise<WholeMail | null> {
  const id = fromShortId(context.req.param('id') ?? '')
  return id === null ? null : findMail(ports.store, viewFor(ports, context), id)
}

export async function requireNamed(ports: MailhogPorts, context: PeerContext): Promise<WholeMail> {
  const mail = await findNamed(ports, context)
  if (!mail) throw new AppError('message_not_found', 'Message not found')
  return mail
}
