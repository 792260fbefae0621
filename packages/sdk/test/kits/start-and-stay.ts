import { startMailhatch } from '@mailhatch/sdk/server'

const { url } = await startMailhatch()
console.log(url)
// Simulates a test run that hangs.
setInterval(() => {}, 60_000)
