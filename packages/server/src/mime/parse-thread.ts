import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { parseMail } from './parse-mail.ts'
import type { ParseJob } from './parse-pool.ts'

// A fault ends the thread; the pool answers for the mail and starts another.
parentPort?.on('message', (job: ParseJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(parseMail('path' in job ? readFileSync(job.path) : job.content))
})
