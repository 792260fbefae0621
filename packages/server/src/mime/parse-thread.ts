import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { parseMail, readAttachment } from './parse-mail.ts'
import type { ParseJob, ParseResult, ThreadMessage } from './parse-pool.ts'

// A fault ends the thread; the pool answers for the mail and starts another.
parentPort?.on('message', (job: ParseJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(run(job))
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('ready' satisfies ThreadMessage)

function run(job: ParseJob): ParseResult {
  if ('path' in job) return parseMail(readFileSync(job.path))
  return 'selector' in job ? readAttachment(job.content, job.selector) : parseMail(job.content)
}
