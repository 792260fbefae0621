import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { parseMail, readAttachment } from './parse-mail.ts'
import type { ParseJob, ParseResult, ThreadMessage } from './parse-pool.ts'

// A fault ends the thread; the pool answers for the mail and starts another.
parentPort?.on('message', (job: ParseJob) => {
  const result = run(job)
  parentPort?.postMessage(result, movable(result))
})

/** Small bytes lie in a buffer that they share with others. */
const MOVED_BYTES_MIN = 64 * 1024

/** Large attachments move to the other side, where copying them would hold up everything. */
function movable(result: ParseResult): ArrayBuffer[] {
  const bytes = result && 'bytes' in result ? result.bytes : null
  // Never a shared one.
  return bytes && bytes.byteLength >= MOVED_BYTES_MIN ? [bytes.buffer as ArrayBuffer] : []
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('ready' satisfies ThreadMessage)

function run(job: ParseJob): ParseResult {
  if ('path' in job) return parseMail(readFileSync(job.path))
  return 'selector' in job ? readAttachment(job.content, job.selector) : parseMail(job.content)
}
