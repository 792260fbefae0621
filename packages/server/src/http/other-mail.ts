import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Announcement } from '@mailhatch/sdk'
import { AppError } from '../domain/errors.ts'
import { PARSED_IN_LIST_BYTES_MAX } from '../domain/listed-mail.ts'
import { readAnnouncement } from '../intake/announcement.ts'
import { newMessage } from '../intake/new-message.ts'
import { asPreview, type MessagePreview } from '../read/previews.ts'
import type { StoredMessage } from '../store/messages.ts'
import type { OtherMail } from './local-worker.ts'

export type OtherMailPorts = {
  inbound: { worker: { others: OtherMail | null } | null }
  teams: { rootDomain: string }
}

/** Throws where the worker is another process or announces no mail. */
export function requireOthers({ inbound }: Pick<OtherMailPorts, 'inbound'>): OtherMail {
  const others = inbound.worker?.others ?? null
  if (others === null) throw new AppError('forbidden', 'Forbidden')
  return others
}

/** A mail that no team claims, as the message that it would become. */
export async function findOtherMail(ports: OtherMailPorts, id: string): Promise<StoredMessage> {
  const announcement = await requireOthers(ports).read(id)
  if (!announcement) throw new AppError('message_not_found', 'Not found')
  return asMessage(ports, announcement)
}

export async function listOtherMail(
  ports: OtherMailPorts,
  page: { before: string | null; limit: number },
): Promise<{ messages: StoredMessage[]; hasMore: boolean }> {
  const { mails, hasMore } = await requireOthers(ports).list(page)
  // A list shows no bodies. To search each for codes and links would take milliseconds of the main thread.
  const withoutBody = mails.map((mail) => asMessage(ports, { ...mail, rawContent: '', plainContent: '' }))
  return { messages: await Promise.all(withoutBody), hasMore }
}

/** Apart from the list, because it searches bodies for codes. Ids of other mail are left out. */
export async function previewOtherMail(ports: OtherMailPorts, ids: string[]): Promise<MessagePreview[]> {
  const previews: MessagePreview[] = []
  for (const id of ids) {
    const announcement = await requireOthers(ports).read(id, PARSED_IN_LIST_BYTES_MAX)
    if (announcement) previews.push(asPreview(await asMessage(ports, announcement)))
    // A body takes milliseconds.
    await yieldToEventLoop()
  }
  return previews
}

/** It has no mailbox and no position yet. */
async function asMessage({ teams }: OtherMailPorts, announcement: Announcement): Promise<StoredMessage> {
  const normal = readAnnouncement(announcement, teams.rootDomain)
  const message = await newMessage(normal, normal.receivedAt)
  const { objectMailbox: mailbox, attachments } = message
  return { ...message, mailbox, mailboxId: '', position: 0, attachmentCount: attachments.length }
}
