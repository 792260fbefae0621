// Loaded into a child server with `node --import`: reports the longest processor time of one turn of the event loop to the
// parent. Other programs do not affect it.
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
