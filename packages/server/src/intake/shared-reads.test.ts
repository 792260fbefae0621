import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sharedWithinTurn } from './shared-reads.ts'

test('callers in one turn share a read of the same key; the next turn reads again', async () => {
  const reads: string[] = []
  const find = sharedWithinTurn(
    async (name: string) => {
      reads.push(name)
      return reads.length
    },
    (name) => name,
  )
  expect(await Promise.all([find('qa'), find('orders'), find('qa')])).toEqual([1, 2, 1])
  // Later in the same turn of the event loop.
  expect(await find('orders')).toBe(2)
  await nextTurn()
  expect(await Promise.all([find('qa'), find('qa')])).toEqual([3, 3])
  expect(reads).toEqual(['qa', 'orders', 'qa'])
})

test('a failed read is retried in the next turn', async () => {
  let isBroken = true
  const find = sharedWithinTurn(
    async (name: string) => {
      if (isBroken) throw new Error('the database is away')
      return name
    },
    (name) => name,
  )
  await expect(Promise.all([find('qa'), find('qa')])).rejects.toThrow('the database is away')
  isBroken = false
  await nextTurn()
  expect(await find('qa')).toBe('qa')
})
