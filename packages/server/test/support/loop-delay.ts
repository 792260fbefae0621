// Loaded into a child server by `node --import`: tells its parent how long the event loop was held up at most.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 5
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()

process.on('message', (question) => {
  if (question !== 'largest delay') return
  const largestMs = delays.max / 1e6
  delays.reset()
  process.send?.({ largestMs })
})
// The question may come, but nobody stays alive to wait for it.
process.channel?.unref()
