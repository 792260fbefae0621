import { InvalidArgumentError } from 'commander'

const COUNT_MAX = 1_000_000

/** A number of things, at least one. */
export function readCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > COUNT_MAX) throw new InvalidArgumentError(`It must be a number from 1 to ${COUNT_MAX}.`)
  return count
}
