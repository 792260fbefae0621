import { ATTEMPTS_PER_GROUP_MAX, newGroupId, type AttemptGroup, type EndedAttempt } from '../domain/attempt.ts'
import type { Log } from '../observe/log.ts'

/** Some 10 MB: a minute of an API that is away, at 150 attempts a second. */
const QUEUED_MAX = 10_000
const RETRY_MS = 1_000
const RETRY_MS_MAX = 30_000
/** An API of another kind, or of an older version. */
const SEND_WITHOUT_LEDGER_MS = 60_000
/** A worker that stops does not wait longer for the API. */
const LAST_MS_MAX = 2_000

/** False if the API does not take these attempts, however often they are sent. Throws if it cannot be reached. */
export type SendAttempts = (group: AttemptGroup) => Promise<boolean>

/** `afterMs`: for how long attempts are collected. */
export type AttemptSender = { send: SendAttempts; afterMs: number }

/** What the worker has to report. The ledger is best effort: nothing waits for it but a reader. */
export type AttemptQueue = {
  add(attempts: EndedAttempt[]): void
  /** Resolves when everything that was added before was sent, or could not be sent. */
  flush(): Promise<void>
  close(): Promise<void>
}

type Ports = {
  sender: AttemptSender
  newId: (now: number) => string
  now: () => number
  onDropped: (count: number) => void
  log: Pick<Log, 'debug' | 'warn'>
}

export function createAttemptQueue({ sender, newId, now, onDropped, log }: Ports): AttemptQueue {
  const queue: EndedAttempt[] = []
  /** Sent again as it is, so that it is stored once. */
  let unsent: AttemptGroup | null = null
  let sending = Promise.resolve()
  let timer: NodeJS.Timeout | null = null
  let retryMs = RETRY_MS
  let isDropping = false
  let isClosed = false

  function drop(count: number): void {
    if (!isDropping) log.warn({}, 'attempts are missing in the ledger, because the API does not take them')
    isDropping = true
    onDropped(count)
  }

  /** The oldest go. A whole group, because moving the others costs as much for one. */
  function limit(): void {
    if (queue.length <= QUEUED_MAX) return
    drop(queue.splice(0, queue.length - QUEUED_MAX + ATTEMPTS_PER_GROUP_MAX).length)
  }

  function sendLater(milliseconds: number): void {
    if (timer !== null || isClosed) return
    timer = setTimeout(() => {
      timer = null
      void flush()
    }, milliseconds).unref()
  }

  /** What is queued now. What is added meanwhile is collected: under load, groups would otherwise be as small as a request is short. */
  async function sendQueued(): Promise<void> {
    for (let due = queue.length; unsent !== null || (due > 0 && queue.length > 0);) {
      if (unsent === null) {
        unsent = { id: newGroupId(newId(now())), attempts: queue.splice(0, ATTEMPTS_PER_GROUP_MAX) }
        due -= unsent.attempts.length
      }
      try {
        if (!(await sender.send(unsent))) {
          drop(unsent.attempts.length)
          unsent = null
          return sendLater(SEND_WITHOUT_LEDGER_MS)
        }
        unsent = null
        retryMs = RETRY_MS
        isDropping = false
      } catch (error) {
        log.debug({ err: error }, 'reporting attempts failed, will retry')
        sendLater(retryMs)
        retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)
        return
      }
    }
  }

  /** After the previous one, which may have taken what was added before this call. */
  function flush(): Promise<void> {
    sending = sending.then(sendQueued)
    return sending
  }

  return {
    add(attempts) {
      queue.push(...attempts)
      limit()
      sendLater(sender.afterMs)
    },
    flush,
    async close() {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      const late = new Promise<void>((resolve) => setTimeout(resolve, LAST_MS_MAX).unref())
      await Promise.race([flush(), late])
      const left = queue.length + (unsent?.attempts.length ?? 0)
      if (left > 0) drop(left)
    },
  }
}
