import { expect, onTestFinished, test, vi } from 'vitest'
import { KNOWN_SCRIPTS_MAX, type KnownScript } from '../domain/scenario.ts'
import { ANSWER_BYTES_MAX } from '../worker/announce.ts'
import { createScriptList } from './script-list.ts'

const script = (id: string): KnownScript => ({
  teamId: 'team',
  id,
  domain: 'in.test',
  mailbox: 'qa',
  tag: null,
  match: 'exact',
})

/** A list whose reads end when the test says so. */
function start() {
  const reads: PromiseWithResolvers<KnownScript[]>[] = []
  const warnings: string[] = []
  const list = createScriptList({
    store: {
      scriptedAddresses() {
        const read = Promise.withResolvers<KnownScript[]>()
        reads.push(read)
        return read.promise
      },
    },
    log: { warn: (_: unknown, text: string) => void warnings.push(text) },
    now: Date.now,
  })
  return { list, reads, warnings, ids: () => list.current().scripts.map(({ id }) => id) }
}

test('while a read takes long, all changes share the next one', async () => {
  const { list, reads, ids } = start()
  const first = list.refresh()
  const changes = Array.from({ length: 100 }, () => list.refresh())
  expect(reads).toHaveLength(1)
  reads[0]!.resolve([script('old')])
  await first
  expect(ids()).toEqual(['old'])
  await vi.waitFor(() => expect(reads).toHaveLength(2))
  const more = list.refresh()
  reads[1]!.resolve([script('new')])
  await Promise.all(changes)
  expect(ids()).toEqual(['new'])
  await vi.waitFor(() => expect(reads).toHaveLength(3))
  reads[2]!.resolve([])
  await more
  await list.close()
})

test('of too many scenarios is warned once, and the longest list fits into one response', async () => {
  const { list, reads, warnings } = start()
  const longest = {
    ...script('i'.repeat(36)),
    teamId: 't'.repeat(36),
    domain: 'd'.repeat(253),
    match: 'prefix' as const,
  }
  // The local part has 64 bytes, and quotes become two in JSON.
  const quoted = { ...longest, mailbox: '"'.repeat(33), tag: '"'.repeat(33) }
  const scripts = Array.from({ length: KNOWN_SCRIPTS_MAX }, () => quoted)
  for (let read = 0; read < 2; read++) {
    const refreshed = list.refresh()
    reads.at(-1)!.resolve(scripts)
    await refreshed
  }
  expect(warnings).toEqual(['too many scenarios, those that end first are not in force'])
  expect(Buffer.byteLength(JSON.stringify(list.current()))).toBeLessThan(ANSWER_BYTES_MAX)
  await list.close()
})

test('the timer adds no read while one runs', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { list, reads } = start()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(reads).toHaveLength(1)
  reads[0]!.resolve([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(reads).toHaveLength(2)
  reads[1]!.resolve([])
  await list.close()
})

test('a read that failed is followed by the next one, and warned of once', async () => {
  const { list, reads, warnings, ids } = start()
  for (const end of ['reject', 'reject', 'resolve'] as const) {
    const refreshed = list.refresh()
    if (end === 'resolve') reads.at(-1)!.resolve([script('new')])
    else reads.at(-1)!.reject(new Error('no database'))
    await refreshed
  }
  expect(ids()).toEqual(['new'])
  expect(warnings).toEqual(['reading the scenarios failed, will retry'])
  await list.close()
})
