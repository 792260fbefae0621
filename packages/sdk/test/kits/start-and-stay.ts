import { startMailhatch } from '@mailhatch/sdk/server'

const { url } = await startMailhatch()
console.log(url)
// What a test run that hangs does.
setInterval(() => {}, 60_000)
