import { searchRawMail, SEARCH_INTERVAL_MS, type RawSearchPorts } from './raw-search.ts'

/** Pause this many times as long as the step took, to limit the load on the storage. */
const PAUSES_PER_STEP = 20
const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000

/** Searches the whole bucket step by step until closed: at start-up and one hour after each complete search. */
export function startRawSearch(ports: RawSearchPorts) {
  let wake = () => {}
  let isClosed = false
  const running = run()

  async function run(): Promise<void> {
    let position: string | null = null
    while (!isClosed) {
      const startedAt = performance.now()
      let pauseMs = PAUSE_MS_MAX
      try {
        position = (await searchRawMail(ports, position)).next
        const wantedMs = PAUSES_PER_STEP * (performance.now() - startedAt)
        pauseMs = position === null ? SEARCH_INTERVAL_MS : Math.min(Math.max(wantedMs, PAUSE_MS_MIN), PAUSE_MS_MAX)
      } catch (error) {
        ports.log.error({ err: error }, 'searching the bucket for raw mail without metadata failed')
      }
      await pause(pauseMs)
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    if (isClosed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, milliseconds).unref()
    wake = resolve
    await promise
    clearTimeout(timer)
  }

  return {
    async close(): Promise<void> {
      isClosed = true
      wake()
      await running
    },
  }
}
