import { setImmediate as nextTurn } from 'node:timers/promises'
import { oldestVisible } from '../domain/plans.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { Store, StoredSummary, Team } from '../store/store.ts'
import type { Frame } from './frame-cache.ts'

const MESSAGES_PER_READ = 100
/** A reader far behind with few matches must not hold up everyone else while the store is searched for it. */
const POSITIONS_PER_READ = 10_000
/** Handed to the reader's connection at once while it catches up. */
const WRITE_BYTES = 64 * 1024
/** What arrives while a reader catches up is kept up to this; of more, it reads on from the store. */
const KEPT_BYTES_MAX = 256 * 1024

/** Where the bytes of one stream go. */
export type Sink = {
  write(bytes: Buffer): void
  /** Written, but not yet taken by the reader. */
  waitingBytes(): number
  /** Resolves when the reader has taken enough to be given more; never, when it is gone. */
  drained(): Promise<void>
  /** Closes after everything that was written. */
  end(): void
  /** Closes at once. */
  cut(): void
}

export type Stream = {
  /** Takes what becomes visible; the first may come before `begin`. */
  push(frame: Frame): void
  /** Sends what matches after `position`, in order and each once. */
  begin(position: number, sink: Sink): void
  /** Sends bytes that are no message. */
  tell(bytes: Buffer): void
  /** Writes what was gathered in this turn. */
  flush(): void
  end(): void
  gone(): void
}

export type StreamPorts = {
  store: Pick<Store, 'newestPosition' | 'followMessages'>
  filter: MessageFilter
  /** As it is now: plan and retention may change while a stream is open. */
  team: () => Team
  now: () => number
  frameOf: (message: StoredSummary) => Frame
  waitingBytesMax: number
  /** How long a reader that catches up may take nothing at all. */
  stalledMsMax: number
  /** Asks for `flush` at the end of this turn. */
  flushSoon: () => void
  onOver: () => void
  onTrouble: (error: unknown) => void
}

/**
 * One reader's way through the messages: first from the store, page by page as fast as it reads, then as they come.
 * Its own position judges what was sent, so that changing between the two neither loses nor repeats anything.
 */
export function createStream(ports: StreamPorts): Stream {
  const { store, filter, team, now, frameOf, waitingBytesMax, stalledMsMax, flushSoon } = ports
  let sink: Sink | null = null
  let position = 0
  let isLive = false
  let isOver = false
  let kept: Frame[] = []
  let keptBytes = 0
  let gathered: Buffer[] = []
  let gatheredBytes = 0

  function oldestReceivedAt(): number {
    return oldestVisible(team(), now())
  }

  function gather(bytes: Buffer): void {
    gathered.push(bytes)
    gatheredBytes += bytes.length
  }

  function flush(): void {
    if (isOver || !sink || gatheredBytes === 0) return
    const waiting = sink.waitingBytes()
    // One that is live and still has not taken what came before does not read: it may come back and resume.
    if (isLive && waiting > 0 && waiting + gatheredBytes > waitingBytesMax) return over((gone) => gone.cut())
    sink.write(gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered, gatheredBytes))
    gathered = []
    gatheredBytes = 0
  }

  function over(close: (sink: Sink) => void): void {
    if (isOver) return
    isOver = true
    kept = []
    gathered = []
    if (sink) close(sink)
    ports.onOver()
  }

  function push(frame: Frame): void {
    if (isOver) return
    if (!isLive) return keep(frame)
    if (frame.position <= position) return
    // Too much at once even for a reader that is quick: it goes on from the store, at its own pace.
    if (gatheredBytes + frame.bytes.length > waitingBytesMax) return catchUp()
    position = frame.position
    if (frame.receivedAt < oldestReceivedAt()) return
    gather(frame.bytes)
    flushSoon()
  }

  function keep(frame: Frame): void {
    keptBytes += frame.bytes.length
    if (keptBytes <= KEPT_BYTES_MAX) kept.push(frame)
  }

  function catchUp(): void {
    isLive = false
    readOn().catch((error: unknown) => {
      if (isOver) return
      ports.onTrouble(error)
      over((open) => open.cut())
    })
  }

  async function readOn(): Promise<void> {
    do {
      kept = []
      keptBytes = 0
      // Whatever was pushed before this read is not newer than its answer; whatever comes later is kept.
      const newest = await store.newestPosition(team().id)
      await readUpTo(newest)
      if (isOver) return
    } while (keptBytes > KEPT_BYTES_MAX)
    isLive = true
    for (const frame of kept) push(frame)
  }

  async function readUpTo(newest: number): Promise<void> {
    await drain()
    while (position < newest && !isOver) {
      const upTo = Math.min(newest, position + POSITIONS_PER_READ)
      const view = { teamId: team().id, oldestReceivedAt: oldestReceivedAt(), filter }
      const found = await store.followMessages(view, { after: position, upTo, limit: MESSAGES_PER_READ })
      for (const message of found.slice(0, MESSAGES_PER_READ)) {
        gather(frameOf(message).bytes)
        position = message.position
        if (gatheredBytes >= WRITE_BYTES) await drain()
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
    tell(bytes) {
      gather(bytes)
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
