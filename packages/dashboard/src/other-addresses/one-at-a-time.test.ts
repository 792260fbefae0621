import { expect, test, vi } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

test('calls during a run cause one more run, also after a failure', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const call = oneAtATime(() => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  })
  for (let count = 0; count < 5; count++) call()
  expect(runs).toHaveLength(1)
  runs[0]!.reject(new Error('the server is away'))
  await vi.waitFor(() => expect(runs).toHaveLength(2))
  runs[1]!.resolve()
  await vi.waitFor(() => {
    call()
    expect(runs).toHaveLength(3)
  })
  runs[2]!.resolve()
})
