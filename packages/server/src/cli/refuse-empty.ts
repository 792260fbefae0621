import type { Command } from 'commander'

/** Options that may be empty: what they set may be. */
const MAY_BE_EMPTY = ['text', 'html', 'subject', 'name', 'description']
/** Where a text may be empty, it is sent or stored. Elsewhere these options are filters. */
const WRITES = ['send', 'create', 'update']

/**
 * Refuses empty values, which usually come from a variable that is not set: `--to "$ADDRESS"`. The server takes an empty
 * filter as missing, so the command would match all mail.
 */
export function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    const name = option.attributeName()
    const isGiven = command.getOptionValueSource(name) === 'cli'
    const isAllowed = WRITES.includes(command.name()) && MAY_BE_EMPTY.includes(name)
    if (!isGiven || isAllowed || !isEmpty(command.getOptionValue(name))) continue
    command.error(`error: option '${option.long} <value>' is empty; is a variable not set?`)
  }
  const index = command.args.findIndex(isEmpty)
  if (index === -1) return
  const argument = command.registeredArguments[Math.min(index, command.registeredArguments.length - 1)]
  command.error(`error: argument '${argument?.name() ?? index + 1}' is empty; is a variable not set?`)
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.some(isEmpty) : typeof value === 'string' && value.trim() === ''
}
