import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import type { CallCounts, CallPlan, FaultPlan } from './step-faults.ts'
import type { ThreadSettings } from './watched-writer-thread.ts'

/** `at` is from the clock that all threads share; `synchronous` is SQLite's number for how a commit treats the disk. */
export type Commit = { at: bigint; keys: string[]; synchronous: number }
export type FromThread =
  | ({ kind: 'committed' } & Commit)
  | { kind: 'obeyed'; steps: number }
  | { kind: 'called'; call: string; isHit: boolean }
export type ToThread = { file: string } & ({ disk: 'healthy' | 'full' | 'failing' } | { faults: ThreadFaults | null })
/** By plan, or at random: this many of a thousand statements, with numbers from a seed. */
export type ThreadFaults = FaultPlan | CallPlan | { seed: number; perMille: number }

/** A writer thread for `openWriter` that reports its commits and whose disk can be made to fail. */
export function watchWriter({ pragma = '', onCommit = (_commit: Commit) => {} } = {}) {
  const channelName = randomUUID()
  const channel = new BroadcastChannel(channelName)
  onTestFinished(() => channel.close())
  let obeyed: ((steps: number) => void) | null = null
  let hits = 0
  let calls: CallCounts = {}

  channel.addEventListener('message', (event: unknown) => {
    // Only watched-writer-thread.ts knows the channel.
    const message = (event as { data: FromThread }).data
    if (message.kind === 'obeyed') {
      // What comes later belongs to the new plan.
      hits = 0
      calls = {}
      obeyed?.(message.steps)
    } else if (message.kind === 'called') {
      if (message.isHit) hits++
      calls[message.call] = (calls[message.call] ?? 0) + 1
    } else onCommit(message)
  })

  function tell(request: ToThread): Promise<number> {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel between threads, not a window
    channel.postMessage(request)
    return new Promise((resolve) => {
      obeyed = resolve
    })
  }

  return {
    threadUrl: threadUrl({ channelName, pragma }),
    /** Resolves when the thread applies this to the disk of the file. */
    async turnDisk(file: string, disk: 'healthy' | 'full' | 'failing'): Promise<void> {
      await tell({ file, disk })
    },
    /** Makes statements on this file fail. Resolves to how many ran (or, at random, failed) since the previous call. */
    setFaults: (file: string, faults: ThreadFaults | null): Promise<number> => tell({ file, faults }),
    /** How many calls of the current plan have failed so far. */
    hits: () => hits,
    /** How many calls were made since that plan began. */
    calls: () => calls,
  }
}

/** A thread that is given by its URL can only get its settings there. */
function threadUrl(settings: ThreadSettings): URL {
  const module = JSON.stringify(new URL('./watched-writer-thread.ts', import.meta.url))
  const code = `import { serveWatched } from ${module}; serveWatched(${JSON.stringify(settings)})`
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`)
}
