import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** The full counts of what `npm test` does in a short form. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({
    test: {
      include: ['packages/*/test/**/*.long.test.ts'],
      testTimeout: 30 * 60_000,
      fileParallelism: false,
    },
  }),
)
