import { availableParallelism } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../thread.ts'
import type { AttachmentContent, AttachmentSelector, ParsedMail } from './parse-mail.ts'

/** What a thread is asked to parse. It reads files itself, so that their bytes never pass through this thread. */
export type ParseJob =
  | { content: Uint8Array }
  | { path: string }
  | { content: Uint8Array; selector: AttachmentSelector }

/** Null only for an attachment that is not there. */
export type ParseResult = ParsedMail | AttachmentContent | null

/** What a thread says: once that it is ready, then one result for each job. */
export type ThreadMessage = 'ready' | ParseResult

export type PoolOptions = {
  threadsMax?: number
  /** Of processor time for one mail. */
  deadlineMs?: number
  /** Until a mail is given up however little processor time it got. */
  waitMsMax?: number
  heapMegabytesMax?: number
  idleMs?: number
  /** The program that a thread runs. */
  threadUrl?: URL
  /** Told why a thread died of a mail. */
  onThreadDeath?: (reason: Error) => void
}

export type ParsePool = {
  /** `null` if the thread died of this mail: out of time, out of memory or a fault. */
  parse(job: { content: Uint8Array } | { path: string }): Promise<ParsedMail | null>
  /** `null` also if there is no such attachment. */
  attachment(content: Uint8Array, selector: AttachmentSelector): Promise<AttachmentContent | null>
  close(): Promise<void>
}

// Of processor time: the largest ordinary mail takes 0.2 s; one that takes this long was made to.
const DEADLINE_MS = 5_000
// On a machine with no time to spare a thread may hardly run, which is not the mail's fault; callers wait for a minute at most.
const WAIT_MS_MAX = 60_000
// How soon a mail that is nearly out of time is looked at again.
const CHECK_MS_MIN = 100
// It takes 0.2 s, and many times that on a machine with no time to spare, which is not the mail's fault.
const START_MS_MAX = 60_000
// Many times what the largest mail needs; its bytes lie outside of the heap.
const HEAP_MEGABYTES_MAX = 256
// Starting a thread takes 0.2 s and large mail comes in bursts, but a thread that waits costs memory.
const IDLE_MS = 30_000

// Beside its source in development, beside its build when installed.
const THREAD_URL = new URL(import.meta.url.endsWith('.ts') ? './parse-thread.ts' : './parse-thread.js', import.meta.url)

type Task = { job: ParseJob; resolve: (result: ParseResult) => void }
type Thread = {
  worker: Worker
  isReady: boolean
  task: Task | null
  timer: NodeJS.Timeout | undefined
  /** Looks at the processor time of the task. */
  check: NodeJS.Timeout | undefined
  death: Error | null
}

/** Threads that parse one mail each at a time, started when there is work and ended when there has been none for a while. */
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
      // It reads what strangers wrote, so it gets no secrets to lose.
      env: {},
    })
    const thread: Thread = { worker, isReady: false, task: null, timer: undefined, check: undefined, death: null }
    threads.add(thread)
    worker.on('message', (message: ThreadMessage) => {
      if (message === 'ready') begin(thread)
      else finish(thread, message)
    })
    worker.on('error', (error: unknown) => {
      thread.death ??= error instanceof Error ? error : new Error(String(error))
    })
    worker.on('exit', () => bury(thread))
    return thread
  }

  function assign(thread: Thread, task: Task): void {
    thread.task = task
    limit(thread)
    thread.worker.ref()
    const job = ownJob(task.job)
    // `ownJob` copied it into a buffer of its own, never a shared one.
    thread.worker.postMessage(job, 'content' in job ? [job.content.buffer as ArrayBuffer] : [])
  }

  function begin(thread: Thread): void {
    thread.isReady = true
    // Started for a job, which has its time from now on; unless the thread took too long, and is being ended.
    if (!thread.death) limit(thread)
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

  /** Ends the thread once its task took too much processor time; a thread that got little is looked at again. */
  async function checkWork(thread: Thread, before: Promise<number>): Promise<void> {
    const { worker, task } = thread
    const usedMs = (await processorMs(worker)) - (await before)
    if (thread.task !== task || thread.death) return
    if (usedMs < deadlineMs) checkIn(thread, Math.max(deadlineMs - usedMs, CHECK_MS_MIN), before)
    else end(thread, new Error(`Parsing a mail took more than ${deadlineMs} ms of processor time`))
  }

  function finish(thread: Thread, result: ParseResult): void {
    thread.task?.resolve(result)
    thread.task = null
    clearTimers(thread)
    // The deadline may have struck while the answer was under way.
    if (thread.death) return
    // A thread without work must not keep the program alive.
    thread.worker.unref()
    thread.timer = setTimeout(() => end(thread, new Error('idle')), idleMs).unref()
    idle.push(thread)
    assignWaiting()
  }

  function end(thread: Thread, reason: Error): void {
    thread.death = reason
    leaveIdle(thread)
    void thread.worker.terminate()
  }

  function bury(thread: Thread): void {
    clearTimers(thread)
    threads.delete(thread)
    leaveIdle(thread)
    if (thread.task) onThreadDeath?.(thread.death ?? new Error('A parse thread ended'))
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
    // The thread answers a job without a selector by a mail, and one with a selector by an attachment.
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

/** What a thread has used since it started; 0 for one that has ended. */
async function processorMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

/**
 * Bytes are copied, because the caller still has to store its own; the copy moves to the thread. Not by `slice()`,
 * which for a Buffer is only a view, and moving that would empty the caller's hands.
 */
function ownJob(job: ParseJob): ParseJob {
  // A mail whose attachment is asked for was read for that alone, into a buffer of its own.
  const isOwn = 'selector' in job && job.content.byteLength === job.content.buffer.byteLength
  return 'content' in job && !isOwn ? { ...job, content: new Uint8Array(job.content) } : job
}
