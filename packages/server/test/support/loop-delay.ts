// Loaded into a child server with `node --import`: reports to the parent the longest processor time of its main thread
// between two ticks of a timer. That is one long turn of the event loop, or several short ones, so no turn is longer. On a busy
// machine the ticks come later, and more turns count together.
const CHECK_MS = 5

let largestWorkMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before)
  largestWorkMs = Math.max(largestWorkMs, (user + system) / 1000)
  before = process.threadCpuUsage()
}, CHECK_MS).unref()

process.on('message', (question) => {
  if (question !== 'longest work') return
  process.send?.({ largestWorkMs })
  largestWorkMs = 0
})
// The request may arrive, but does not keep the process alive.
process.channel?.unref()
