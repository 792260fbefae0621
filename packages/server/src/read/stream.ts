import { setImmediate as nextTurn } from 'node:timers/promises'
import { oldestVisible } from '../domain/plans.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { Team } from '../store/mailboxes.ts'
import type { StoredSummary } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import type { MessageFrame } from './frame-cache.ts'

const MESSAGES_PER_READ = 100
/** Limits one query, so that a reader far behind with few matches does not block the others. */
const POSITIONS_PER_READ = 10_000
/** Bytes per write while a reader catches up. */
const WRITE_BYTES = 64 * 1024
/** Messages buffered while a reader catches up. Beyond this it continues reading from the store. */
const BUFFERED_BYTES_MAX = 256 * 1024

/** Output of one stream. */
export type Sink = {
  write(bytes: Buffer): void
  /** Bytes written but not yet read by the client. */
  waitingBytes(): number
  /** Resolves when the client has read enough to receive more. Never resolves once it is gone. */
  drained(): Promise<void>
  /** Closes after all written bytes. */
  end(): void
  /** Closes immediately. */
  cut(): void
}

export type Stream = {
  /** Adds a newly visible message. May be called before `begin`. */
  push(frame: MessageFrame): void
  /** Sends all matching messages after `position`, in order and once each. */
  begin(position: number, sink: Sink): void
  /** Sends bytes that are not a message. */
  send(bytes: Buffer): void
  /** Writes what was collected in this turn of the event loop. */
  flush(): void
  end(): void
  gone(): void
}

export type StreamPorts = {
  store: Pick<Store, 'newestPosition' | 'followMessages'>
  filter: MessageFilter
  /** The current team: plan and retention may change while a stream is open. */
  team: () => Team
  now: () => number
  frameOf: (message: StoredSummary) => MessageFrame
  waitingBytesMax: number
  /** How long a reader that catches up may read nothing. */
  stalledMsMax: number
  /** Schedules `flush` for the end of this turn of the event loop. */
  flushSoon: () => void
  onOver: () => void
  onError: (error: unknown) => void
}

/**
 * Sends messages to one reader: first from the store, page by page at the reader's pace, then live. Its position says
 * what was sent, so switching between the two neither loses nor repeats messages.
 */
export function createStream(ports: StreamPorts): Stream {
  const { store, filter, team, now, frameOf, waitingBytesMax, stalledMsMax, flushSoon } = ports
  let sink: Sink | null = null
  let position = 0
  let isLive = false
  let isOver = false
  let buffered: MessageFrame[] = []
  let bufferedBytes = 0
  let collected: Buffer[] = []
  let collectedBytes = 0

  function oldestReceivedAt(): number {
    return oldestVisible(team(), now())
  }

  function collect(bytes: Buffer): void {
    collected.push(bytes)
    collectedBytes += bytes.length
  }

  function flush(): void {
    if (isOver || !sink || collectedBytes === 0) return
    const waiting = sink.waitingBytes()
    // A live reader that has not read earlier bytes has stopped reading. It can reconnect and resume.
    if (isLive && waiting > 0 && waiting + collectedBytes > waitingBytesMax) return over((gone) => gone.cut())
    sink.write(collected.length === 1 ? collected[0]! : Buffer.concat(collected, collectedBytes))
    collected = []
    collectedBytes = 0
  }

  function over(close: (sink: Sink) => void): void {
    if (isOver) return
    isOver = true
    buffered = []
    collected = []
    if (sink) close(sink)
    ports.onOver()
  }

  function push(frame: MessageFrame): void {
    if (isOver) return
    if (!isLive) return buffer(frame)
    if (frame.position <= position) return
    // Too much at once even for a fast reader: continue from the store at its own pace.
    if (collectedBytes + frame.bytes.length > waitingBytesMax) return catchUp()
    position = frame.position
    if (frame.receivedAt < oldestReceivedAt()) return
    collect(frame.bytes)
    flushSoon()
  }

  function buffer(frame: MessageFrame): void {
    bufferedBytes += frame.bytes.length
    if (bufferedBytes <= BUFFERED_BYTES_MAX) buffered.push(frame)
  }

  function catchUp(): void {
    isLive = false
    readFromStore().catch((error: unknown) => {
      if (isOver) return
      ports.onError(error)
      over((open) => open.cut())
    })
  }

  async function readFromStore(): Promise<void> {
    do {
      buffered = []
      bufferedBytes = 0
      // Everything pushed before this query is included in its result, and everything later is buffered.
      const newest = await store.newestPosition(team().id)
      await readUpTo(newest)
      if (isOver) return
    } while (bufferedBytes > BUFFERED_BYTES_MAX)
    isLive = true
    for (const frame of buffered) push(frame)
  }

  async function readUpTo(newest: number): Promise<void> {
    await drain()
    while (position < newest && !isOver) {
      const upTo = Math.min(newest, position + POSITIONS_PER_READ)
      const view = { teamId: team().id, oldestReceivedAt: oldestReceivedAt(), filter }
      const found = await store.followMessages(view, { after: position, upTo, limit: MESSAGES_PER_READ })
      for (const message of found.slice(0, MESSAGES_PER_READ)) {
        collect(frameOf(message).bytes)
        position = message.position
        if (collectedBytes >= WRITE_BYTES) await drain()
        if (isOver) return
      }
      if (found.length <= MESSAGES_PER_READ) position = upTo
      await drain()
      if (position < newest) await nextTurn()
    }
  }

  async function drain(): Promise<void> {
    flush()
    const stalled = setTimeout(() => over((open) => open.cut()), stalledMsMax).unref()
    await sink?.drained()
    clearTimeout(stalled)
  }

  return {
    push,
    begin(start, to) {
      if (isOver) return
      position = start
      sink = to
      catchUp()
    },
    send(bytes) {
      collect(bytes)
      flushSoon()
    },
    flush,
    end() {
      flush()
      over((open) => open.end())
    },
    gone: () => over(() => {}),
  }
}
