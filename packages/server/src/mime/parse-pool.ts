import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../thread.ts'
import type { AttachmentContent, AttachmentSelector, ParsedMail } from './parse-mail.ts'

/** What a thread parses. It reads files itself, so that their bytes do not pass through the main thread. */
export type ParseJob =
  | { content: Uint8Array }
  | { path: string }
  | { content: Uint8Array; isHeadOnly: true }
  | { content: Uint8Array; selector: AttachmentSelector }

/** Null only for an attachment that does not exist. */
export type ParseResult = ParsedMail | AttachmentContent | null

/** The messages of a thread: `ready` once, then one result per job. */
export type ThreadMessage = 'ready' | ParseResult

export type PoolOptions = {
  threadsMax?: number
  /** Processor time for one mail. */
  deadlineMs?: number
  /** The maximum time for a mail, even if it got little processor time. */
  waitMsMax?: number
  heapMegabytesMax?: number
  idleMs?: number
  /** The module that a thread runs. */
  threadUrl?: URL
  /** Called with the reason when a thread crashes on a mail. */
  onThreadDeath?: (reason: Error) => void
}

export type ParsePool = {
  /** Null if the thread crashed on this mail: out of time, out of memory or an error. */
  parse(job: { content: Uint8Array; isHeadOnly?: true } | { path: string }): Promise<ParsedMail | null>
  /** Also null if there is no such attachment. */
  attachment(content: Uint8Array, selector: AttachmentSelector): Promise<AttachmentContent | null>
  close(): Promise<void>
}

// Processor time. The largest ordinary mail takes 0.2 s. Mail that takes this long is hostile.
const DEADLINE_MS = 5_000
// On a busy machine a thread may hardly run, which is not the mail's fault. A mail gets at most a minute in its thread.
const WAIT_MS_MAX = 60_000
// The shortest interval between two checks of the processor time.
const CHECK_MS_MIN = 100
// A start takes 0.2 s, and much longer on a busy machine, which is not the mail's fault.
const START_MS_MAX = 60_000
// Many times what the largest mail needs. Its bytes are outside of the heap.
const HEAP_MEGABYTES_MAX = 256
// Starting a thread takes 0.2 s and large mail comes in bursts, but an idle thread costs memory.
const IDLE_MS = 30_000

// Next to the source in development, next to the build when installed.
const THREAD_URL = new URL(import.meta.url.endsWith('.ts') ? './parse-thread.ts' : './parse-thread.js', import.meta.url)

type Task = { job: ParseJob; resolve: (result: ParseResult) => void }
type Thread = {
  worker: Worker
  isReady: boolean
  task: Task | null
  timer: NodeJS.Timeout | undefined
  /** Checks the processor time of the task. */
  check: NodeJS.Timeout | undefined
  endReason: Error | null
}

/** Threads that parse one mail at a time. They start when there is work and end after some idle time. */
export function createParsePool(options: PoolOptions): ParsePool {
  const { threadsMax = availableParallelism(), idleMs = IDLE_MS, onThreadDeath } = options
  const { deadlineMs = DEADLINE_MS, waitMsMax = WAIT_MS_MAX } = options
  const threads = new Set<Thread>()
  const idle: Thread[] = []
  const waiting: Task[] = []
  const running = new Set<Promise<ParseResult>>()
  let isClosed = false

  function assignWaiting(): void {
    while (waiting.length > 0) {
      const thread = idle.pop() ?? (threads.size < threadsMax ? addThread() : null)
      if (!thread) return
      assign(thread, waiting.shift()!)
    }
  }

  function addThread(): Thread {
    const worker = startThread(options.threadUrl ?? THREAD_URL, {
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytesMax ?? HEAP_MEGABYTES_MAX },
      // The thread parses untrusted input, so it gets no environment and no secrets.
      env: {},
    })
    const thread: Thread = { worker, isReady: false, task: null, timer: undefined, check: undefined, endReason: null }
    threads.add(thread)
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') begin(thread)
      else finish(thread, message)
    })
    worker.on('error', (error: unknown) => {
      thread.endReason ??= error instanceof Error ? error : new Error(String(error))
    })
    worker.on('exit', () => bury(thread))
    return thread
  }

  function assign(thread: Thread, task: Task): void {
    thread.task = task
    limit(thread)
    thread.worker.ref()
    const job = ownJob(task.job)
    // `ownJob` copied it into its own buffer, which is not a SharedArrayBuffer.
    thread.worker.postMessage(job, 'content' in job ? [job.content.buffer as ArrayBuffer] : [])
  }

  function begin(thread: Thread): void {
    thread.isReady = true
    // The time of the job starts now, unless the thread took too long to start and is being ended.
    if (!thread.endReason) limit(thread)
  }

  function limit(thread: Thread): void {
    const [milliseconds, work] = thread.isReady
      ? [waitMsMax, 'Parsing a mail']
      : [START_MS_MAX, 'Starting a parse thread']
    clearTimers(thread)
    thread.timer = setTimeout(() => end(thread, new Error(`${work} took more than ${milliseconds} ms`)), milliseconds)
    if (thread.isReady) checkIn(thread, deadlineMs, processorMs(thread.worker))
  }

  function checkIn(thread: Thread, milliseconds: number, before: Promise<number>): void {
    thread.check = setTimeout(() => void checkWork(thread, before), milliseconds)
  }

  /** Ends the thread if its task took too much processor time. Otherwise checks again later. */
  async function checkWork(thread: Thread, before: Promise<number>): Promise<void> {
    const { worker, task } = thread
    const usedMs = (await processorMs(worker)) - (await before)
    if (thread.task !== task || thread.endReason) return
    if (usedMs < deadlineMs) checkIn(thread, Math.max(deadlineMs - usedMs, CHECK_MS_MIN), before)
    else end(thread, new Error(`Parsing a mail took more than ${deadlineMs} ms of processor time`))
  }

  function finish(thread: Thread, result: ParseResult): void {
    thread.task?.resolve(result)
    thread.task = null
    clearTimers(thread)
    // The time limit may have passed while the result was on its way.
    if (thread.endReason) return
    // An idle thread must not keep the program alive.
    thread.worker.unref()
    thread.timer = setTimeout(() => end(thread, new Error('idle')), idleMs).unref()
    idle.push(thread)
    assignWaiting()
  }

  function end(thread: Thread, reason: Error): void {
    thread.endReason = reason
    leaveIdle(thread)
    void thread.worker.terminate()
  }

  function bury(thread: Thread): void {
    clearTimers(thread)
    threads.delete(thread)
    leaveIdle(thread)
    if (thread.task) onThreadDeath?.(thread.endReason ?? new Error('A parse thread ended'))
    thread.task?.resolve(null)
    assignWaiting()
  }

  function leaveIdle(thread: Thread): void {
    const place = idle.indexOf(thread)
    if (place >= 0) idle.splice(place, 1)
  }

  function run(job: ParseJob): Promise<ParseResult> {
    if (isClosed) return Promise.reject(new Error('The mail parser is closed'))
    const { promise, resolve } = Promise.withResolvers<ParseResult>()
    running.add(promise)
    waiting.push({ job, resolve })
    assignWaiting()
    return promise.finally(() => running.delete(promise))
  }

  return {
    // A job without a selector results in a mail, and one with a selector in an attachment.
    parse: (job) => run(job) as Promise<ParsedMail | null>,
    attachment: (content, selector) => run({ content, selector }) as Promise<AttachmentContent | null>,
    async close() {
      isClosed = true
      await Promise.all(running)
      await Promise.all(Array.from(threads, ({ worker }) => worker.terminate()))
    },
  }
}

function clearTimers(thread: Thread): void {
  clearTimeout(thread.timer)
  clearTimeout(thread.check)
}

/** The processor time of a thread since its start. 0 if it has ended. */
async function processorMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

/**
 * Copies the bytes, because the caller still has to store them, and the copy is transferred to the thread. Does not use
 * `slice()`, which is only a view for a Buffer: transferring it would detach the caller's bytes.
 */
function ownJob(job: ParseJob): ParseJob {
  // A mail that was read for one attachment has its own buffer and is not needed afterwards.
  const isOwn = 'selector' in job && job.content.byteLength === job.content.buffer.byteLength
  return 'content' in job && !isOwn ? { ...job, content: new Uint8Array(job.content) } : job
}
