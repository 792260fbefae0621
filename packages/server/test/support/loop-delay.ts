// Loaded into a child server by `node --import`: tells its parent how long the event loop was held up at most, and how
// much time of the processor one turn of it took at most, which other programs do not make longer.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 5
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()

let largestWorkMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before)
  largestWorkMs = Math.max(largestWorkMs, (user + system) / 1000)
  before = process.threadCpuUsage()
}, RESOLUTION_MS).unref()

process.on('message', (question) => {
  if (question !== 'largest delay') return
  const largestMs = delays.max / 1e6
  delays.reset()
  process.send?.({ largestMs, largestWorkMs })
  largestWorkMs = 0
})
// The request may arrive, but does not keep the process alive.
process.channel?.unref()
