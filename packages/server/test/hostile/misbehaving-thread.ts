import { parentPort } from 'node:worker_threads'
import { parseHeadOnly, parseMail } from '../../src/mime/parse-mail.ts'
import type { ParseJob, ThreadMessage } from '../../src/mime/parse-pool.ts'

const STARVED_MS = 2_500

function rest(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

// Misbehaves like a faulty parser, depending on the first word of the subject.
parentPort?.on('message', (job: ParseJob) => {
  if (!('content' in job)) throw new Error('expects content')
  if ('isHeadOnly' in job) {
    if (Buffer.from(job.content).includes('unreadable head')) throw new Error('as asked')
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    return parentPort?.postMessage(parseHeadOnly(job.content))
  }
  const mail = parseMail(job.content)
  if (mail.subject === 'hang') for (;;);
  // As on a machine that has no time for this thread.
  if (mail.subject === 'starve') rest(STARVED_MS)
  if (mail.subject === 'starve to death') rest(Infinity)
  if (mail.subject === 'throw') throw new Error('as asked')
  if (mail.subject === 'grow') for (const hoard: unknown[] = []; ;) hoard.push({ length: hoard.length })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(mail)
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('ready' satisfies ThreadMessage)
