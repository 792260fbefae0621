export { startMailhatch, type RunningMailhatch, type StartOptions } from '@mailhatch/sdk/server'
