import type { MessageTimeoutError } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { filterOf, type FilterOptions } from './message-filter.ts'
import { durationText } from './human.ts'
import { typedName } from './typed-flags.ts'

/** The error of a wait in the words of its command line: filters as flags. */
export function timeoutText({ message, timeoutMs }: MessageTimeoutError, command: Command | null): string {
  const [, ...rest] = message.split(` within ${timeoutMs} ms. `)
  const explanation = rest
    .join(` within ${timeoutMs} ms. `)
    .replaceAll(/\(not matching: ([\w, ]+)\)$/gm, (_, names: string) => {
      const flags = names.split(', ').map((name) => typedName(command, name))
      return `(not matching: ${flags.join(', ')})`
    })
  const filter = Object.entries(command === null ? {} : filterOf(command.opts<FilterOptions>()))
  const flags = filter.map(([name, value]) => `${typedName(command, name)} ${quoted(String(value))}`)
  const wanted = flags.length === 0 ? 'No message arrived' : `No message matched ${flags.join(' ')}`
  return `${wanted} within ${durationText(timeoutMs)}. ${explanation}`
}

function quoted(value: string): string {
  return /^[\w@+.:-]+$/.test(value) ? value : JSON.stringify(value)
}
