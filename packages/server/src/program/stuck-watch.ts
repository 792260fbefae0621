import inspector from 'node:inspector'
import type { Log } from '../observe/log.ts'
import { startThread } from '../thread.ts'

export type WatchOptions = {
  /** How long the main thread may be busy without a break, in processor time and in elapsed time. */
  stuckMs?: number
}

/**
 * The longest known work of the main thread takes some hundred milliseconds. Much shorter than WEBHOOK_TIMEOUT_MS, so that
 * a worker sees its connection to a stuck API cut, and blames the mail, before it gives up on the response, also where
 * the API gets only half of a processor.
 */
const STUCK_MS = 3_000
const BEAT_MS = 500

const THREAD_URL = new URL(import.meta.url.endsWith('.ts') ? './stuck-thread.ts' : './stuck-thread.js', import.meta.url)

/** What the thread needs: a counter that the main thread increases. */
export type WatchedBeats = { beats: Int32Array; stuckMs: number }

/**
 * Ends the process if its main thread is stuck in an endless computation, which no timer of its own could end. The
 * supervisor restarts the process, and the mail that it worked on is treated like one that crashed it. The first call of
 * the result starts the watch: its thread costs 8 MB, which a program without mail does not need.
 */
export function createStuckWatch(log: Pick<Log, 'error'>, { stuckMs = STUCK_MS }: WatchOptions = {}): () => void {
  let isStarted = false

  function start(): void {
    const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref()
    const thread = startThread(THREAD_URL, { env: {}, resourceLimits: { maxYoungGenerationSizeMb: 1 } })
    thread.unref()
    thread.on('error', (error) => log.error({ err: error }, 'the watch for a stuck program failed'))
    thread.postMessage({ beats, stuckMs } satisfies WatchedBeats)
  }

  return () => {
    // A breakpoint of a debugger stops the main thread as well.
    if (!isStarted && inspector.url() === undefined) start()
    isStarted = true
  }
}
