import { mailhatchTasks } from '@mailhatch/sdk/cypress'
import { defineConfig } from 'cypress'

export default defineConfig({
  e2e: {
    baseUrl: process.env['APP_URL'] ?? 'http://localhost:3000',
    setupNodeEvents(on) {
      // Of MAILHATCH_URL and MAILHATCH_API_KEY; or say mailhatchTasks({ url, apiKey }).
      on('task', mailhatchTasks())
    },
  },
})
