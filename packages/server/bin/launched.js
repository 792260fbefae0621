// What mailhatch.js starts where it has to find a newer Node: the program, which stops when its launcher is gone. One that
// is killed cannot pass on a signal, but its end of the channel closes.
const stop = () => process.kill(process.pid, 'SIGTERM')
process.once('disconnect', stop)
// The channel alone keeps no command from ending.
process.channel?.unref()
if (!process.connected) stop()
await import('./mailhatch.js')
