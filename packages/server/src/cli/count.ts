import { InvalidArgumentError } from 'commander'

const COUNT_MAX = 1_000_000

export function readCount(text: string): number {
  const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > COUNT_MAX) throw new InvalidArgumentError(`Expected a number from 1 to ${COUNT_MAX}.`)
  return count
}
