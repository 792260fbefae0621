// Loaded into a child server with `node --import`: reports the longest delay of the event loop to the parent, and the
// longest processor time of one turn, which other programs do not affect.
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
