// Started by mailhatch.js when it runs on an older Node. Stops the program when the launcher ends: a killed launcher cannot
// forward a signal, but its IPC channel closes.
const stop = () => process.kill(process.pid, 'SIGTERM')
process.once('disconnect', stop)
// The channel alone must not keep the process alive.
process.channel?.unref()
if (!process.connected) stop()
await import('./mailhatch.js')
