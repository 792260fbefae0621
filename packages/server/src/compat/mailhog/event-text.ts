import type { Contents } from '../../read/content.ts'
import type { WholeMail } from '../mails.ts'
import { jsonPieces, RawText } from './json-pieces.ts'
import { presentMail } from './present.ts'
import { readBeginning, readMail } from './read-mail.ts'

/** An event has all of a mail several times. Events of larger mail come without its bodies. */
const WHOLE_BYTES_MAX = 1024 * 1024

type Ports = { contents: Pick<Contents, 'raw'> }

/** The event of a new mail, as JSON. Of large mail, only the headers are read. */
export async function eventText(ports: Ports, mail: WholeMail): Promise<string> {
  const isWhole = mail.size !== null && mail.size <= WHOLE_BYTES_MAX
  const presented = isWhole ? presentMail(mail, await readMail(ports, mail)) : await headOf(ports, mail)
  return Array.from(jsonPieces(presented)).join('')
}

async function headOf(ports: Ports, mail: WholeMail): Promise<ReturnType<typeof presentMail>> {
  const { beginning, size } = await readBeginning(ports, mail)
  const { Content, Raw, ...rest } = presentMail(mail, beginning)
  const empty = new RawText('')
  return { ...rest, Content: { ...Content, Body: empty, Size: size }, MIME: null, Raw: { ...Raw, Data: empty } }
}
