import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { release } from '../domain/release.ts'
import { parseHeadOnly, parseMail, readAttachment } from './parse-mail.ts'
import type { ParseJob, ParseResult, ThreadMessage } from './parse-pool.ts'

// An error ends the thread. The pool then reports the mail as failed and starts another thread.
parentPort?.on('message', (job: ParseJob) => {
  const content = 'path' in job ? readFileSync(job.path) : job.content
  const result = run(job, content)
  parentPort?.postMessage(result, transferables(result))
  // An idle thread collects no garbage, so it would keep up to 25 MiB.
  release(content)
})

/** Smaller ones may share a pooled buffer with others. */
const TRANSFER_BYTES_MIN = 64 * 1024

/** Large attachments are transferred, because copying them would block the main thread. */
function transferables(result: ParseResult): ArrayBuffer[] {
  const bytes = result && 'bytes' in result ? result.bytes : null
  // The buffer is not a SharedArrayBuffer.
  return bytes && bytes.byteLength >= TRANSFER_BYTES_MIN ? [bytes.buffer as ArrayBuffer] : []
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('ready' satisfies ThreadMessage)

function run(job: ParseJob, content: Uint8Array): ParseResult {
  if ('isHeadOnly' in job) return parseHeadOnly(content)
  return 'selector' in job ? readAttachment(content, job.selector) : parseMail(content)
}
