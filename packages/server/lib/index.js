export { startMailhatch } from '@mailhatch/sdk/server'
