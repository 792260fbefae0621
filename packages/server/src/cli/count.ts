import { InvalidArgumentError } from 'commander'

const COUNT_MAX = 1_000_000

export const readCount = readCountUpTo(COUNT_MAX)

/** A parser for whole numbers from 1 to the maximum. */
export function readCountUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,7}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > max) throw new InvalidArgumentError(`Expected a number from 1 to ${max}.`)
    return count
  }
}
