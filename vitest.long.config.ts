import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The full counts of what `npm test` does in a short form. */
export default defineConfig({
  ...base,
  test: {
    include: ['packages/*/test/**/*.long.test.ts'],
    testTimeout: 30 * 60_000,
    hookTimeout: base.test!.hookTimeout,
    expect: base.test!.expect,
    setupFiles: base.test!.setupFiles,
    fileParallelism: false,
  },
})
