import { mailhatchTasks } from '@mailhatch/sdk/cypress'
import { defineConfig } from 'cypress'

export default defineConfig({
  e2e: {
    baseUrl: process.env['APP_URL'] ?? 'http://localhost:3000',
    setupNodeEvents(on) {
      // Uses MAILHATCH_URL and MAILHATCH_API_KEY, or pass mailhatchTasks({ url, apiKey }).
      on('task', mailhatchTasks())
    },
  },
})
