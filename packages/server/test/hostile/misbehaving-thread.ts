import { parentPort } from 'node:worker_threads'
import { parseMail } from '../../src/mime/parse-mail.ts'
import type { ParseJob, ThreadMessage } from '../../src/mime/parse-pool.ts'

// Does to itself what a mail might do to a parser that has a fault, as the first word of the subject says.
parentPort?.on('message', (job: ParseJob) => {
  if (!('content' in job)) throw new Error('expects content')
  const mail = parseMail(job.content)
  if (mail.subject === 'hang') for (;;);
  if (mail.subject === 'throw') throw new Error('as asked')
  if (mail.subject === 'grow') for (const hoard: unknown[] = []; ;) hoard.push({ length: hoard.length })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(mail)
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
parentPort?.postMessage('ready' satisfies ThreadMessage)
