import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** Streams the messages of an mbox file. Unescapes `>From `. */
export async function* readMbox(path: string): AsyncGenerator<Uint8Array> {
  // Latin-1 preserves every byte.
  const lines = createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })
  let mail: string[] | null = null
  for await (const line of lines) {
    // In a body, such a line is escaped as `>From `, or does not follow an empty line.
    if (line.startsWith('From ') && (mail === null || mail.at(-1) === '')) {
      if (mail !== null) yield bytesOf(mail)
      mail = []
    } else mail?.push(line.replace(/^>(>*From )/, '$1'))
  }
  if (mail !== null) yield bytesOf(mail)
}

/** The empty line before the next mail does not belong to this one. */
function bytesOf(lines: string[]): Uint8Array {
  const own = lines.at(-1) === '' ? lines.slice(0, -1) : lines
  return Buffer.from(own.map((line) => `${line}\r\n`).join(''), 'latin1')
}
