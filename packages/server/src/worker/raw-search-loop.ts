import { searchRawMail, SEARCH_REST_MS, type RawSearchPorts } from './raw-search.ts'

/** Pause this many times as long as the step took, to limit the load on the storage. */
const PAUSES_PER_STEP = 20
const PAUSE_MS_MIN = 1_000
const PAUSE_MS_MAX = 60_000

/** Searches the whole bucket step by step, at the start and an hour after each end, until it is closed. */
export function startRawSearch(ports: RawSearchPorts) {
  let wake = () => {}
  let isClosed = false
  const running = run()

  async function run(): Promise<void> {
    let place: string | null = null
    while (!isClosed) {
      const startedAt = performance.now()
      let pauseMs = PAUSE_MS_MAX
      try {
        place = (await searchRawMail(ports, place)).next
        const restMs = PAUSES_PER_STEP * (performance.now() - startedAt)
        pauseMs = place === null ? SEARCH_REST_MS : Math.min(Math.max(restMs, PAUSE_MS_MIN), PAUSE_MS_MAX)
      } catch (error) {
        ports.log.error({ err: error }, 'the bucket could not be searched for raw mail without metadata')
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
