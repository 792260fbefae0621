import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: './global-setup.ts',
    // Waits end shortly before the test does, so a mail may take almost as long as this.
    testTimeout: 30_000,
  },
})
