import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { WatchedBeats } from './stuck-watch.ts'

const CHECK_MS = 500
const STANDARD_ERROR = 2

parentPort?.once('message', ({ beats, stuckMs }: WatchedBeats) => {
  let seen = Atomics.load(beats, 0)
  let since = performance.now()
  let used = process.cpuUsage()
  setInterval(() => {
    const found = Atomics.load(beats, 0)
    // A process that was stopped, or got no processor time, is not stuck.
    const { user, system } = process.cpuUsage(used)
    if (found === seen) {
      if (performance.now() - since >= stuckMs && (user + system) / 1_000 >= stuckMs) end(stuckMs)
      return
    }
    seen = found
    since = performance.now()
    used = process.cpuUsage()
  }, CHECK_MS)
})

/** The main thread cannot log, and `process.exit` would only end this thread. */
function end(stuckMs: number): void {
  const message = `stuck in one computation for more than ${stuckMs} ms, the program ends and has to be restarted`
  writeSync(STANDARD_ERROR, `${JSON.stringify({ level: 60, time: Date.now(), msg: message })}\n`)
  process.kill(process.pid, 'SIGKILL')
}
