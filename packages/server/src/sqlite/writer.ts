import { startThread } from '../thread.ts'
import { TRANSACTIONS_PER_COMMIT, type PackedStatement, type WriterReply, type WriterRequest } from './serve-writers.ts'
import type { GroupOutcome, Outcome, Result, Statement } from './transactions.ts'

export type Writer = {
  /**
   * Runs one transaction. Resolves with the result of each statement once they are on disk. With `mayWait`, it shares the
   * commit of the next one, if transactions come often.
   */
  write(statements: Statement[], options?: { mayWait?: boolean }): Promise<Result[]>
  /** Resolves when all pending writes are done and the file is closed. */
  close(): Promise<void>
}

type Waiting = { statements: Statement[]; resolve: (results: Result[]) => void; reject: (error: unknown) => void }

/** How long a transaction that may wait is kept for the next one, which saves a commit. */
const KEEP_MS = 10

const THREAD = new URL(import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js', import.meta.url)

export type WriterOptions = {
  threadUrl?: URL | undefined
  /** Called after each commit with its duration, which is mostly that of the sync. */
  onCommit?: ((ms: number) => void) | undefined
  /** Longer in tests. */
  keepMs?: number | undefined
}

/**
 * Writes to a database in a thread, so that waiting for the disk does not block the event loop. A single transaction is
 * sent at once, unless it may wait. While the thread is busy, the transactions of one turn of the event loop are sent together.
 */
export function openWriter(
  path: string,
  { threadUrl = THREAD, onCommit, keepMs = KEEP_MS }: WriterOptions = {},
): Writer {
  const closed = Promise.withResolvers<void>()
  let queued: Waiting[] = []
  let posted: Waiting[] = []
  let isPostDue = false
  let keeping: NodeJS.Timeout | undefined
  let lastPostAt = -Infinity
  /** Between the last two. */
  let gapMs = Infinity
  let isClosing = false

  const channel = threadFor(threadUrl).open(path, {
    written({ outcomes, commitMs }) {
      if (commitMs !== null) onCommit?.(commitMs)
      const settled = posted.slice(0, outcomes.length)
      posted = posted.slice(outcomes.length)
      settled.forEach(({ resolve, reject }, index) => {
        const outcome = outcomes[index]!
        if ('results' in outcome) resolve(outcome.results)
        else reject(errorFrom(outcome))
      })
    },
    closed: closed.resolve,
  })

  function post(): void {
    isPostDue = false
    clearTimeout(keeping)
    keeping = undefined
    const at = performance.now()
    gapMs = at - lastPostAt
    lastPostAt = at
    for (let start = 0; start < queued.length; start += TRANSACTIONS_PER_COMMIT) {
      channel.write(queued.slice(start, start + TRANSACTIONS_PER_COMMIT).map(({ statements }) => statements))
    }
    posted = posted.concat(queued)
    queued = []
  }

  return {
    write: (statements, { mayWait = false } = {}) =>
      new Promise((resolve, reject) => {
        // The thread may have ended. A write to a closed file would crash the program.
        if (isClosing) return reject(new Error('The database is closed.'))
        queued.push({ statements, resolve, reject })
        if (mayWait && gapMs <= keepMs) keeping ??= setTimeout(post, keepMs)
        else if (posted.length === 0) post()
        else if (!isPostDue) {
          isPostDue = true
          setImmediate(post)
        }
      }),
    close() {
      if (isClosing) return closed.promise
      isClosing = true
      post()
      channel.close()
      return closed.promise
    },
  }
}

function errorFrom(outcome: Outcome & { error: unknown }): Error {
  // The form that plainOutcome gave the error in the thread.
  const { message, ...properties } = outcome.error as { message: string; errcode?: number }
  return Object.assign(new Error(message), properties)
}

/** `written` receives outcomes in the order of the requests, several at a time. */
type Listener = { written: (group: GroupOutcome) => void; closed: () => void }

type Thread = ReturnType<typeof startWriterThread>

// One thread for all databases of the process: it mostly waits for the disk, and each thread costs 10 MB.
const threads = new Map<string, Thread>()

function threadFor(url: URL): Thread {
  const running = threads.get(url.href) ?? startWriterThread(url, () => threads.delete(url.href))
  threads.set(url.href, running)
  return running
}

function startWriterThread(url: URL, onEnd: () => void) {
  const worker = startThread(url, { env: {}, resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  const listeners = new Map<number, Listener>()
  const textNumbers = new Map<string, number>()
  let count = 0
  worker.on('message', (reply: WriterReply) => {
    const { written, closed } = listeners.get(reply.writer)!
    if (reply.kind === 'written') return written(reply)
    listeners.delete(reply.writer)
    closed()
    if (listeners.size > 0) return
    onEnd()
    void worker.terminate()
  })
  // Without its writer the program cannot store anything. Crash, so that the supervisor restarts it.
  worker.on('error', (error) => {
    throw error
  })

  function post(request: WriterRequest): void {
    worker.postMessage(request)
  }

  /** Texts are long and few: each is sent once and referred to by number afterwards. */
  function pack({ text, values, isRequired }: Statement, newTexts: string[]): PackedStatement {
    let number = textNumbers.get(text)
    if (number === undefined) {
      number = textNumbers.size
      textNumbers.set(text, number)
      newTexts.push(text)
    }
    return [number, isRequired, ...values.map(compact)]
  }

  return {
    open(path: string, listener: Listener) {
      const writer = count++
      listeners.set(writer, listener)
      post({ kind: 'open', writer, path })
      return {
        write(group: Statement[][]) {
          const newTexts: string[] = []
          const packed = group.map((statements) => statements.map((statement) => pack(statement, newTexts)))
          post({ kind: 'write', writer, newTexts, group: packed })
        },
        close: () => post({ kind: 'close', writer }),
      }
    },
  }
}

/** A view of a larger buffer would copy the whole buffer to the thread. */
function compact(value: Statement['values'][number]) {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value
}
