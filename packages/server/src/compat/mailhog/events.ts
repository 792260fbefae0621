import type { StoredMessage } from '../../store/messages.ts'
import type { DoorPorts } from '../door.ts'
import { createEventGroups, EVENT_LIMITS } from '../event-groups.ts'
import { jsonPieces, RawText } from './json-pieces.ts'
import { presentMessage } from './present.ts'
import { readMail } from './read-mail.ts'

/** An event has all of a mail several times. Events of larger mail come without its bodies. */
const WHOLE_BYTES_MAX = 1024 * 1024
const WAITING_BYTES = 16 * 1024 * 1024

export type MailhogEvents = ReturnType<typeof createEvents>

/** New messages. MailHog announces nothing else. */
export function createEvents(ports: DoorPorts) {
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

  async function eventOf(message: StoredMessage): Promise<string> {
    const presented = presentMessage(message, await readMail(ports.messages, message))
    const isWhole = presented.Content.Size <= WHOLE_BYTES_MAX
    return Array.from(jsonPieces(isWhole ? presented : withoutBodies(presented))).join('')
  }

  return { begin: groups.begin, connect: groups.connect, close: groups.close }
}

function withoutBodies(presented: ReturnType<typeof presentMessage>): ReturnType<typeof presentMessage> {
  const { Content, Raw } = presented
  const empty = new RawText('')
  return { ...presented, Content: { ...Content, Body: empty }, MIME: null, Raw: { ...Raw, Data: empty } }
}
