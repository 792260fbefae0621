import type { MessageFilter } from '@mailhatch/sdk'
import { InvalidArgumentError, type Command } from 'commander'
import { parseIsoTime } from '../domain/iso-time.ts'
import { readDuration } from './duration.ts'

const NAMES = ['mailbox', 'tag', 'to', 'from', 'subject', 'text', 'header', 'since', 'after'] as const

export type FilterOptions = { [name in (typeof NAMES)[number]]?: string }

/** Adds filter options; a message must match all of them. */
export function withFilter(command: Command): Command {
  return command
    .option('--mailbox <name>', 'mailbox: qa, qa+tag or a full address')
    .option('--tag <tag>', 'tag: the part of the address after the +')
    .option('--to <text>', 'substring of the recipient')
    .option('--from <text>', 'substring of the sender')
    .option('--subject <text>', 'substring of the subject')
    .option('--text <text>', 'substring of the text')
    .option('--header <header>', 'exact header, as "Name: value"')
    .option('--since <time>', 'maximum age such as 10m or 2h, or an ISO 8601 time', readSince)
    .option('--after <cursor>', 'only messages after this cursor')
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
    throw new InvalidArgumentError('Expected an age such as 10m or 2h, or an ISO 8601 time.')
  }
}
