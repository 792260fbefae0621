import { rewriteModules } from '../support/rewrite-modules.ts'

// Preloaded into the load: an SDK that does not continue after a restart. A wait ends at the first error. When their
// connection ends, streams of mailboxes whose name ends with 0 fail, those of odd ones continue with new mail only, and the
// others from where they started.
rewriteModules({
  '/sdk/src/wait.ts': [['if (!isTransient(error)) throw error', 'throw error']],
  '/sdk/src/stream.ts': [
    ['after: cursor }', 'after: wasConnected && isOdd(filter) ? undefined : cursor }'],
    ['cursor = message.cursor', 'if (isOdd(filter)) cursor = message.cursor'],
    [
      'let waitMs = jittered(delayMs)',
      `let waitMs = jittered(delayMs)
    if (wasConnected && /0$/.test(filter.mailbox!)) throw new Error('as asked')`,
    ],
    [
      'async function startOf',
      'const isOdd = ({ mailbox }: MessageFilter) => /[13579]$/.test(mailbox!)\nasync function startOf',
    ],
  ],
})
