import type { MessageFilter } from '@mailhatch/sdk'
import { InvalidArgumentError, type Command } from 'commander'
import { parseIsoTime } from '../domain/iso-time.ts'
import { readDuration } from './duration.ts'

const NAMES = ['mailbox', 'tag', 'to', 'from', 'subject', 'text', 'header', 'since', 'after'] as const

export type FilterOptions = { [name in (typeof NAMES)[number]]?: string }

/** What messages a command is about; all conditions must be met. */
export function withFilter(command: Command): Command {
  return command
    .option('--mailbox <name>', 'a mailbox, such as qa, qa+tag, or its whole address')
    .option('--tag <tag>', 'the tag of the address, what follows its +')
    .option('--to <text>', 'a part of the recipient')
    .option('--from <text>', 'a part of the sender')
    .option('--subject <text>', 'a part of the subject')
    .option('--text <text>', 'a part of the text')
    .option('--header <header>', '"Name: value", exactly')
    .option('--since <time>', 'not older than 10m, 2h …, or an ISO 8601 time', readSince)
    .option('--after <cursor>', 'only what came after this cursor')
}

export function filterOf(options: FilterOptions): MessageFilter {
  const given = NAMES.map((name) => [name, options[name]] as const).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function readSince(text: string): string {
  const at = parseIsoTime(text)
  if (at !== null) return text
  try {
    return new Date(Date.now() - readDuration(text)).toISOString()
  } catch {
    throw new InvalidArgumentError('It must be a time ago, such as 10m or 2h, or an ISO 8601 time.')
  }
}
