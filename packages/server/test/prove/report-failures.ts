import { afterEach } from 'vitest'
import { reportFailure } from './proof.ts'

// Set up for every part, so that the page says why one failed.
afterEach(({ task }) => {
  for (const { message } of task.result?.errors ?? []) reportFailure(`${task.name}: ${message.split('\n', 1)[0]}`)
})
