import { readFileSync, writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { WatchedBeats } from './stuck-watch.ts'

const CHECK_MS = 500
const STANDARD_ERROR = 2

parentPort?.once('message', ({ beats, stuckMs }: WatchedBeats) => {
  let seen = Atomics.load(beats, 0)
  let since = performance.now()
  let usedMs = mainThreadMs()
  setInterval(() => {
    const found = Atomics.load(beats, 0)
    if (found === seen) {
      // A thread that was stopped, waits for a disk, or got no processor time, is not stuck.
      if (performance.now() - since >= stuckMs && mainThreadMs() - usedMs >= stuckMs) end(stuckMs)
      return
    }
    seen = found
    since = performance.now()
    usedMs = mainThreadMs()
  }, CHECK_MS)
})

/** The processor time of the main thread. Only Linux tells it; elsewhere, that of the whole process. */
function mainThreadMs(): number {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')
    return Number(nanoseconds) / 1_000_000
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

/** The main thread cannot log, and `process.exit` would only end this thread. */
function end(stuckMs: number): void {
  const message = `stuck in one computation for more than ${stuckMs} ms, the program ends and has to be restarted`
  writeSync(STANDARD_ERROR, `${JSON.stringify({ level: 60, time: Date.now(), msg: message })}\n`)
  process.kill(process.pid, 'SIGKILL')
}
