import { changeSource } from './changed-source.ts'

// Preloaded into the load: an SDK that does not continue after a restart. A wait ends at the first error; streams of odd
// mailboxes continue with new mail only, the others from where they started.
changeSource('/sdk/src/wait.ts', [['if (!isTransient(error)) throw error', 'throw error']])
changeSource('/sdk/src/stream.ts', [
  ['after: cursor }', 'after: wasConnected && isOdd(filter) ? undefined : cursor }'],
  ['cursor = message.cursor', 'if (isOdd(filter)) cursor = message.cursor'],
  [
    'async function startOf',
    'const isOdd = ({ mailbox }: MessageFilter) => /[13579]$/.test(mailbox!)\nasync function startOf',
  ],
])
