import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS } from '../event-groups.ts'
import { findMail, type WholeMail } from '../mails.ts'
import { eventText } from './event-text.ts'

/** Several events of mail that is shown whole. */
const WAITING_BYTES = 16 * 1024 * 1024

export type MailhogEvents = ReturnType<typeof createEvents>

/** New mails. MailHog announces nothing else. */
export function createEvents(ports: DoorPorts) {
  /** By the messages of the mail that are seen. */
  const writing = new Map<string, Promise<string>>()
  const groups = createEventGroups<null>(
    ports,
    {
      newState: () => null,
      withMarks: false,
      async tell(group, followed) {
        if (!('message' in followed)) return
        const mail = await findMail(ports.store, groups.viewFor(group), followed.message.id)
        if (mail) groups.send(group, await eventOf(mail))
      },
    },
    { ...EVENT_LIMITS, waitingBytes: WAITING_BYTES },
  )

  /** The event is the same for all keys that see the same messages, and most of them are told of it at the same time. */
  function eventOf(mail: WholeMail): Promise<string> {
    const seen = `${mail.id} ${mail.positions.join()}`
    const known = writing.get(seen)
    if (known) return known
    const written = eventText(ports.messages, mail).finally(() => writing.delete(seen))
    writing.set(seen, written)
    return written
  }

  return { begin: groups.begin, connect: groups.connect, close: groups.close }
}
