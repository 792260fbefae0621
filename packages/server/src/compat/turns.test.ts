import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

const LIMITS = { atOnceMax: 2, waitingMax: 5, waitingPerKeyMax: 3, busy: 'Too much work is waiting. Retry.' }

/** Work that ends when the test says so. */
function start() {
  const inTurn = createTurns(LIMITS)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (key: string, proceed?: () => void) =>
    inTurn(
      key,
      async () => {
        begun.push(key)
        await new Promise<void>((resolve) => ends.push(resolve))
        return key
      },
      proceed,
    )
  return { ask, begun, ends, endFirst: () => ends.shift()!() }
}

test('keys take turns, whichever asked more often', async () => {
  const { ask, begun, ends, endFirst } = start()
  const asked = ['a', 'a', 'a', 'b', 'c'].map((key) => ask(key))
  for (let count = 0; count < asked.length; count++) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    endFirst()
  }
  expect(await Promise.all(asked)).toEqual(['a', 'a', 'a', 'b', 'c'])
  expect(begun).toEqual(['a', 'b', 'c', 'a', 'a'])
})

test('one key cannot fill the places of others', async () => {
  const { ask } = start()
  for (let count = 0; count < 1 + LIMITS.waitingPerKeyMax; count++) void ask('a')
  await expect(ask('a')).rejects.toMatchObject({ code: 'server_busy', message: LIMITS.busy })
  for (const key of ['b', 'b', 'c']) void ask(key)
  await expect(ask('d')).rejects.toMatchObject({ code: 'server_busy' })
})

test('what a client has left does not run, and gives way to others', async () => {
  const { ask, begun, endFirst } = start()
  let isGone = false
  const proceed = () => {
    if (isGone) throw new Error('gone')
  }
  const first = ask('a')
  const left = Array.from({ length: LIMITS.waitingPerKeyMax }, () => ask('a', proceed))
  isGone = true
  const outcomes = Promise.allSettled(left)
  const last = ask('a')
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  endFirst()
  await first
  await expect.poll(() => begun).toHaveLength(2)
  endFirst()
  expect(await last).toBe('a')
})

test('work that fails makes room for the next', async () => {
  const inTurn = createTurns(LIMITS)
  const failing = inTurn('a', () => Promise.reject(new Error('broken')))
  const next = inTurn('a', () => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('done')
})
