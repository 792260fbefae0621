import type { StoredMessage } from '../../store/messages.ts'
import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS } from '../event-groups.ts'
import { eventText } from './event-text.ts'

/** Several events of mail that is shown whole. */
const WAITING_BYTES = 16 * 1024 * 1024

export type MailhogEvents = ReturnType<typeof createEvents>

/** New messages. MailHog announces nothing else. */
export function createEvents(ports: DoorPorts) {
  /** By the id of the message. */
  const writing = new Map<string, Promise<string>>()
  const groups = createEventGroups<null>(
    ports,
    {
      newState: () => null,
      withMarks: false,
      async tell(group, followed) {
        if (!('message' in followed)) return
        const message = await ports.store.findMessage(groups.viewFor(group), followed.message.id)
        if (message) groups.send(group, await eventOf(message))
      },
    },
    { ...EVENT_LIMITS, waitingBytes: WAITING_BYTES },
  )

  /** The event is the same for all keys that see the message, and most of them are told of it at the same time. */
  function eventOf(message: StoredMessage): Promise<string> {
    const known = writing.get(message.id)
    if (known) return known
    const written = eventText(ports.messages, message).finally(() => writing.delete(message.id))
    writing.set(message.id, written)
    return written
  }

  return { begin: groups.begin, connect: groups.connect, close: groups.close }
}
