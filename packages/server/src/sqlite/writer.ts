import { startThread } from '../thread.ts'
import type { PackedStatement, WriterReply, WriterRequest } from './serve-writers.ts'
import type { Outcome, Result, Statement } from './transactions.ts'

/** A larger group would keep those who wait for it waiting too long. */
const TRANSACTIONS_PER_COMMIT = 256

export type Writer = {
  /** One transaction; resolves with the result of each statement when they are on the disk. */
  write(statements: Statement[]): Promise<Result[]>
  /** Resolves when all that was asked is written and the file is closed. */
  close(): Promise<void>
}

type Waiting = { statements: Statement[]; resolve: (results: Result[]) => void; reject: (error: unknown) => void }

const THREAD = new URL(import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js', import.meta.url)

/**
 * Writes to a database from a thread, so that waiting for the disk holds up nobody. A lone transaction goes at once;
 * while one group is being committed the next one gathers, so the busier it is, the larger the groups.
 */
export function openWriter(path: string, threadUrl: URL = THREAD): Writer {
  const closed = Promise.withResolvers<void>()
  let waiting: Waiting[] = []
  let committing: Waiting[] = []
  let isClosing = false

  const channel = threadFor(threadUrl).open(path, (outcomes) => {
    const settled = committing
    committing = []
    settled.forEach(({ resolve, reject }, index) => {
      const outcome = outcomes[index]!
      if ('results' in outcome) resolve(outcome.results)
      else reject(errorFrom(outcome))
    })
    commitNext()
  })

  function commitNext(): void {
    if (committing.length > 0) return
    if (waiting.length > 0) {
      committing = waiting.slice(0, TRANSACTIONS_PER_COMMIT)
      waiting = waiting.slice(TRANSACTIONS_PER_COMMIT)
      channel.write(committing.map(({ statements }) => statements))
    } else if (isClosing) {
      channel.close(closed.resolve)
    }
  }

  return {
    write: (statements) =>
      new Promise((resolve, reject) => {
        // Its thread may be gone, and would end the program if it were asked for a file that it has closed.
        if (isClosing) return reject(new Error('The database is closed.'))
        waiting.push({ statements, resolve, reject })
        commitNext()
      }),
    close() {
      if (isClosing) return closed.promise
      isClosing = true
      commitNext()
      return closed.promise
    },
  }
}

function errorFrom(outcome: Outcome & { error: unknown }): Error {
  const { message, ...properties } = outcome.error as { message: string; errcode?: number }
  return Object.assign(new Error(message), properties)
}

type Thread = ReturnType<typeof startWriterThread>

// One thread for all databases of the process: it mostly waits for the disk, and a thread costs 10 MB.
const threads = new Map<string, Thread>()

function threadFor(url: URL): Thread {
  const running = threads.get(url.href) ?? startWriterThread(url, () => threads.delete(url.href))
  threads.set(url.href, running)
  return running
}

function startWriterThread(url: URL, onEnd: () => void) {
  const worker = startThread(url, { env: {}, resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  const replies = new Map<number, (outcomes: Outcome[]) => void>()
  const textNumbers = new Map<string, number>()
  let count = 0
  let open = 0
  worker.on('message', ({ writer, outcomes }: WriterReply) => replies.get(writer)?.(outcomes))
  // Without its writer the program can keep no promise; what restarts it will start it whole.
  worker.on('error', (error) => {
    throw error
  })

  function post(request: WriterRequest): void {
    worker.postMessage(request)
  }

  /** Texts are long and few: each is sent once and goes by its number from then on. */
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
    open(path: string, onWritten: (outcomes: Outcome[]) => void) {
      const writer = count++
      open++
      replies.set(writer, () => replies.set(writer, onWritten))
      post({ kind: 'open', writer, path })
      return {
        write(group: Statement[][]) {
          const newTexts: string[] = []
          const packed = group.map((statements) => statements.map((statement) => pack(statement, newTexts)))
          post({ kind: 'write', writer, newTexts, group: packed })
        },
        close(onClosed: () => void) {
          replies.set(writer, () => {
            replies.delete(writer)
            onClosed()
            if (--open > 0) return
            onEnd()
            void worker.terminate()
          })
          post({ kind: 'close', writer })
        },
      }
    },
  }
}

/** Bytes that are a view of a larger buffer would take all of it along to the thread. */
function compact(value: Statement['values'][number]) {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value
}
