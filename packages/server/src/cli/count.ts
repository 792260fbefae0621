import { InvalidArgumentError } from 'commander'

const COUNT_MAX = 1_000_000

export const readCount = readCountUpTo(COUNT_MAX)

/** A parser for whole numbers up to the maximum. */
export function readCountUpTo(max: number, min = 1): (text: string) => number {
  return (text) => {
    const count = /^\d{1,7}$/.test(text) ? Number(text) : NaN
    if (!(count >= min && count <= max)) throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`)
    return count
  }
}
