import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: './global-setup.ts',
    // Waits end shortly before the test times out.
    testTimeout: 30_000,
  },
})
