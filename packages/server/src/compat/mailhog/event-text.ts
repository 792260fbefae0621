import type { Contents } from '../../read/content.ts'
import type { StoredMessage } from '../../store/messages.ts'
import { jsonPieces, RawText } from './json-pieces.ts'
import { presentMessage } from './present.ts'
import { readBeginning, readMail } from './read-mail.ts'

/** An event has all of a mail several times. Events of larger mail come without its bodies. */
const WHOLE_BYTES_MAX = 1024 * 1024

type Ports = { contents: Pick<Contents, 'raw'> }

/** The event of a new message, as JSON. Of large mail, only the headers are read. */
export async function eventText(ports: Ports, message: StoredMessage): Promise<string> {
  const isWhole = message.size !== null && message.size <= WHOLE_BYTES_MAX
  const presented = isWhole ? presentMessage(message, await readMail(ports, message)) : await headOf(ports, message)
  return Array.from(jsonPieces(presented)).join('')
}

async function headOf(ports: Ports, message: StoredMessage): Promise<ReturnType<typeof presentMessage>> {
  const { beginning, size } = await readBeginning(ports, message)
  const { Content, Raw, ...rest } = presentMessage(message, beginning)
  const empty = new RawText('')
  return { ...rest, Content: { ...Content, Body: empty, Size: size }, MIME: null, Raw: { ...Raw, Data: empty } }
}
