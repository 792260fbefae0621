import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { bytesOf } from '../bucket/bucket.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { createParking } from './parked-bytes.ts'

const LIMITS = { smallBytes: 100, fileBytes: 1_000, memoryBytes: 500 }

test.each([
  ['in files, then in memory', [600, 400, 200, 300]],
  ['only in memory if they are small', [100, 100, 100, 100, 100]],
])('parked bytes are limited %s, and bytes that were read make room', async (_, sizes) => {
  const park = createParking(temporaryFolder(), LIMITS)
  const parked = []
  for (const size of sizes) parked.push(await park(new Uint8Array(size).fill(size % 251)))
  // A stream that reads ahead has read everything after a few turns of the event loop.
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  await expect(park(new Uint8Array(50))).rejects.toMatchObject({ code: 'server_busy' })
  expect(await bytesOf(parked.at(-1)!)).toEqual(new Uint8Array(sizes.at(-1)!).fill(sizes.at(-1)! % 251))
  await expect.poll(() => park(new Uint8Array(50)).then(({ size }) => size)).toBe(50)
})

test('an aborted download makes room', async () => {
  const park = createParking(temporaryFolder(), LIMITS)
  const first = await park(new Uint8Array(1_000))
  const second = await park(new Uint8Array(500))
  await expect(park(new Uint8Array(101))).rejects.toMatchObject({ code: 'server_busy' })
  await first.stream.cancel()
  await second.stream.cancel()
  await expect.poll(() => park(new Uint8Array(1_000)).then(({ size }) => size)).toBe(1_000)
})

test('bytes are buffered even if the folder is not writable', async () => {
  const park = createParking('/proc/none', LIMITS)
  expect(await bytesOf(await park(new Uint8Array(400).fill(7)))).toEqual(new Uint8Array(400).fill(7))
})
