import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

export type WakeTimes = { p50: number; p99: number; max: number }

type Options = {
  count: number
  hold: (tag: string) => Promise<unknown>
  /** Resolves when the process has started to hold the wait. */
  isHeld: () => Promise<unknown>
  announce: (tag: string) => Promise<unknown>
}

/** From the acknowledgement of an announcement to the response of the held wait, in milliseconds. */
export async function measureWakes({ count, hold, isHeld, announce }: Options): Promise<WakeTimes> {
  const times: number[] = []
  for (let number = 0; number < count; number++) {
    const tag = randomUUID()
    let answeredAt = 0
    const answered = hold(tag).then(() => (answeredAt = performance.now()))
    await isHeld()
    // Random, so that it does not coincide with a regular task.
    await delay(randomInt(20))
    await announce(tag)
    const storedAt = performance.now()
    await answered
    times.push(Math.max(0, answeredAt - storedAt))
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(count - 1, Math.floor(share * count))]!
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
