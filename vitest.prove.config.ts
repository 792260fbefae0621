import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The parts of `npm run prove`, which starts each of them by itself. */
export default defineConfig({
  ...base,
  test: {
    setupFiles: [...[base.test!.setupFiles!].flat(), 'packages/server/test/prove/register-secrets.ts'],
    reporters: ['default', './packages/server/test/prove/failure-reporter.ts'],
    expect: base.test!.expect,
    testTimeout: 90 * 60_000,
    hookTimeout: base.test!.hookTimeout,
    fileParallelism: false,
    include: ['packages/server/test/prove/*.prove.ts'],
  },
})
