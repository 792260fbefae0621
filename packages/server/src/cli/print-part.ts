import type { Email, Mailhatch } from '@mailhatch/sdk'
import { Option } from 'commander'
import { messageLines } from './message-lines.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'
import { safeLines } from './terminal-text.ts'

const PARTS = ['code', 'link', 'text', 'html', 'id', 'raw', 'json'] as const
type Part = (typeof PARTS)[number]

export type PrintOptions = JsonOption & { print?: Part }

export function printOption(): Option {
  return new Option('--print <part>', 'print only this part of the message').choices(PARTS)
}

/** Without a part, prints the whole message as text or JSON. */
export async function printEmail(
  { messages }: Pick<Mailhatch, 'messages'>,
  email: Email,
  { print, json }: PrintOptions,
): Promise<void> {
  if (print === 'json' || (print === undefined && wantsJson({ json }))) return printJson(email, { json })
  if (print === undefined) return console.log(messageLines(email).join('\n'))
  // Unmodified bytes to a file or pipe, but never to a terminal.
  if (print === 'raw' && !process.stdout.isTTY) return void process.stdout.write(await messages.raw(email.id))
  console.log(safeLines(await textOf(email, print)))
}

function textOf(email: Email, part: Exclude<Part, 'json'>): string | Promise<string> {
  switch (part) {
    case 'code':
      return email.code()
    case 'link':
      return email.link()
    case 'raw':
      return email.raw()
    default:
      return email[part]
  }
}
