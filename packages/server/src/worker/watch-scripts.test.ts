import { expect, onTestFinished, test, vi } from 'vitest'
import { watchScripts } from './watch-scripts.ts'

test('failures to ask for scenarios are warned of once, until it has succeeded again', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const warnings: string[] = []
  let isBroken = true
  let asked = 0
  const client = {
    async list() {
      asked++
      // As of a response that was cut off.
      if (isBroken) JSON.parse('{"scripts":[')
      return { version: '1', scripts: [] }
    },
    takeStep: () => Promise.reject(new Error('not asked for')),
  }
  const scripts = await watchScripts(client, { warn: (_: unknown, text: string) => void warnings.push(text) })
  onTestFinished(() => scripts.close())
  const text = 'asking for scenarios failed, new ones are not in force, will retry'
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBeGreaterThan(5)
  expect(warnings).toEqual([text])
  isBroken = false
  await vi.advanceTimersByTimeAsync(60_000)
  isBroken = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(warnings).toEqual([text, text])
})
