import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** The mails of an mbox file, one after another, however large it is; `>From ` in a text is read as `From `. */
export async function* readMbox(path: string): AsyncGenerator<Uint8Array> {
  // Latin-1 keeps every byte as it is.
  const lines = createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })
  let mail: string[] | null = null
  for await (const line of lines) {
    // A line of the text that begins so is written as `>From `, or follows no empty line.
    if (line.startsWith('From ') && (mail === null || mail.at(-1) === '')) {
      if (mail !== null) yield bytesOf(mail)
      mail = []
    } else mail?.push(line.replace(/^>(>*From )/, '$1'))
  }
  if (mail !== null) yield bytesOf(mail)
}

/** The empty line before the next mail is not a part of this one. */
function bytesOf(lines: string[]): Uint8Array {
  const own = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return Buffer.from(own.map((line) => `${line}\r\n`).join(''), 'latin1')
}
