import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Log } from './log.ts'
import { processMeasures, type Memory } from './overload-measures.ts'
import { watchOverload } from './overload.ts'

const LOOK_MS = 500
/** A container of 1,000 bytes, of which V8 uses at most 400. */
const CALM: Memory = { residentBytes: 300, limitBytes: 1_000, heapBytes: 100, heapBytesMax: 400, bufferBytes: 50 }

type Figures = { at: number; lateMs: number; memory: Memory; afterCollecting: Memory | null }

/** A watch over measurements that the test sets, which take no time. */
function startWatch() {
  const figures: Figures = { at: 0, lateMs: 0, memory: CALM, afterCollecting: null }
  const log = { warn: vi.fn<Log['warn']>(), info: vi.fn<Log['info']>() }
  const collectGarbage = vi.fn<() => void>(() => {
    figures.memory = figures.afterCollecting ?? figures.memory
  })
  const { isOverloaded, close } = watchOverload(log, {
    now: () => figures.at,
    lateMs: async () => figures.lateMs,
    memory: () => figures.memory,
    collectGarbage,
  })
  onTestFinished(close)
  /** The results of a number of checks. */
  async function look(times: number): Promise<boolean[]> {
    const found: boolean[] = []
    for (let count = 0; count < times; count++) {
      figures.at += LOOK_MS
      await vi.advanceTimersByTimeAsync(LOOK_MS)
      found.push(isOverloaded())
    }
    return found
  }
  return { figures, log, collectGarbage, look, isOverloaded, close }
}

const times = (count: number, value: boolean) => Array.from({ length: count }, () => value)

describe('with given figures', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('limit: late by more than 200 ms for 5 s is an overload, logged once; it ends with the first check in time', async () => {
    const { figures, log, look } = startWatch()
    figures.lateMs = 201
    expect(await look(13)).toEqual([...times(10, false), ...times(3, true)])
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ isLoopLate: true, isMemoryShort: false, lateMs: 201 }),
      expect.stringContaining('overloaded'),
    )
    expect(log.info).not.toHaveBeenCalled()
    figures.lateMs = 200
    expect(await look(20)).toEqual(times(20, false))
    expect(log.warn).toHaveBeenCalledOnce()
    expect(log.info).toHaveBeenCalledOnce()
    figures.lateMs = 201
    expect(await look(11)).toEqual([...times(10, false), true])
  })

  test('one long stall is not an overload, nor are many with a calm moment between them', async () => {
    const { figures, look } = startWatch()
    figures.lateMs = 60_000
    figures.at += 60_000
    expect(await look(1)).toEqual([false])
    for (let count = 0; count < 5; count++) {
      figures.lateMs = 0
      expect(await look(1)).toEqual([false])
      figures.lateMs = 300
      expect(await look(10)).toEqual(times(10, false))
    }
    expect(await look(1)).toEqual([true])
  })

  test.each<{ name: string; memory: Partial<Memory>; isFull: boolean }>([
    { name: '80 % of the limit', memory: { residentBytes: 800, bufferBytes: 600 }, isFull: false },
    { name: 'more than that', memory: { residentBytes: 801, bufferBytes: 600 }, isFull: true },
    { name: 'more, half of it held', memory: { residentBytes: 990, bufferBytes: 400 }, isFull: false },
    { name: 'more, over half of it held', memory: { residentBytes: 990, bufferBytes: 401 }, isFull: true },
    { name: '80 % of the heap', memory: { heapBytes: 320 }, isFull: false },
    { name: 'more of the heap', memory: { heapBytes: 321 }, isFull: true },
  ])('limit: memory, $name: $isFull', async ({ memory, isFull }) => {
    const { figures, look, collectGarbage } = startWatch()
    figures.memory = { ...CALM, ...memory }
    expect(await look(3)).toEqual([false, isFull, isFull])
    expect(collectGarbage).toHaveBeenCalledTimes(isFull ? 1 : 0)
  })

  test('memory full of garbage refuses nothing, and is not collected all the time', async () => {
    const { figures, log, look, collectGarbage } = startWatch()
    const full = { ...CALM, heapBytes: 390 }
    figures.afterCollecting = CALM
    figures.memory = full
    expect(await look(2)).toEqual([false, false])
    figures.memory = full
    expect(await look(18)).toEqual(times(18, false))
    expect(collectGarbage).toHaveBeenCalledOnce()
    expect(await look(2)).toEqual([false, false])
    expect(collectGarbage).toHaveBeenCalledTimes(2)
    expect(log.warn).not.toHaveBeenCalled()
  })

  test('while memory is short it is collected repeatedly, so that the overload can end', async () => {
    const { figures, log, look, collectGarbage } = startWatch()
    figures.memory = { ...CALM, heapBytes: 390 }
    expect(await look(20)).toEqual([false, ...times(19, true)])
    // The objects were released, and the rest is garbage.
    figures.afterCollecting = CALM
    expect(await look(2)).toEqual([true, false])
    expect(collectGarbage).toHaveBeenCalledTimes(2)
    expect([log.warn.mock.calls.length, log.info.mock.calls.length]).toEqual([1, 1])
  })

  test('after memory was short, the overload ends below 75 %', async () => {
    const { figures, log, look } = startWatch()
    figures.memory = { ...CALM, heapBytes: 321 }
    expect(await look(2)).toEqual([false, true])
    figures.memory = { ...CALM, heapBytes: 301 }
    expect(await look(5)).toEqual(times(5, true))
    figures.memory = { ...CALM, heapBytes: 300 }
    expect(await look(1)).toEqual([false])
    figures.memory = { ...CALM, heapBytes: 320 }
    expect(await look(30)).toEqual(times(30, false))
    expect(log.warn).toHaveBeenCalledOnce()
  })

  test('a closed watch does not check any more', async () => {
    const { figures, look, close } = startWatch()
    await look(1)
    expect(vi.getTimerCount()).toBe(1)
    close()
    figures.lateMs = 1_000
    expect(await look(30)).toEqual(times(30, false))
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('with figures of this process', () => {
  test('a turn of the event loop that takes 300 ms is measured as a delay of 300 ms', async () => {
    const late = processMeasures.lateMs()
    const until = performance.now() + 300
    while (performance.now() < until);
    expect(await late).toBeGreaterThanOrEqual(295)
  })

  test('collection frees garbage, and the collector is not left exposed', () => {
    processMeasures.collectGarbage()
    const { heapBytes, heapBytesMax, residentBytes, limitBytes } = processMeasures.memory()
    expect(heapBytes).toBeLessThan(heapBytesMax)
    expect(residentBytes).toBeLessThan(limitBytes)
    const filled = fillHeap()
    expect(filled - heapBytes).toBeGreaterThan(20_000_000)
    processMeasures.collectGarbage()
    expect(filled - processMeasures.memory().heapBytes).toBeGreaterThan(20_000_000)
    expect(globalThis).not.toHaveProperty('gc')
  })

  test('the watch does not keep a program running', async () => {
    const watch = `const { watchOverload } = await import(${JSON.stringify(import.meta.resolve('./overload.ts'))})
      console.log(watchOverload({}).isOverloaded())`
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', watch], { timeout: 60_000 })
    expect((await run).stdout).toBe('false\n')
  })
})

/** The size of a heap with many small objects, which are garbage afterwards. */
function fillHeap(): number {
  const things = Array.from({ length: 1_000_000 }, (_, index) => ({ index }))
  expect(things.at(-1)).toEqual({ index: 999_999 })
  return processMeasures.memory().heapBytes
}
