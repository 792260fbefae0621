import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createKeyedSemaphore } from './semaphore.ts'

test('a busy key delays another key by at most one piece of work', async () => {
  const inTurn = createKeyedSemaphore(1)
  const done: string[] = []
  let running = 0
  const work = (name: string) =>
    inTurn(name, async () => {
      expect(++running).toBe(1)
      await nextTurn()
      running--
      done.push(name)
    })
  const all = Array.from({ length: 20 }, () => work('busy'))
  await nextTurn()
  all.push(work('other'), work('other'))
  await Promise.all(all)
  expect(done.indexOf('other')).toBeLessThan(4)
  expect(done.lastIndexOf('other')).toBeLessThan(6)
  expect(done).toHaveLength(22)
})

test('failed work makes room for the next', async () => {
  const inTurn = createKeyedSemaphore(1)
  const failing = inTurn('a', () => Promise.reject(new Error('no')))
  const next = inTurn('a', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})
