import { mayRead, type Principal } from '../domain/access.ts'
import { AppError, RETRY_SOON } from '../domain/errors.ts'
import type { Log } from '../observe/log.ts'
import type { StoredSummary } from '../store/messages.ts'
import type { Store } from '../store/store.ts'
import type { Followers } from './followers.ts'
import { createFrameCache } from './frame-cache.ts'
import { startPosition, type Start } from './start-position.ts'
import { createStream, type Sink, type Stream } from './stream.ts'
import { shuttingDown } from './wait.ts'

export const STREAM_LIMITS = {
  /** A test suite opens one per worker. More are probably streams that are never closed. */
  perKey: 1_000,
  /** Each costs a connection and about 50 kB. */
  perProcess: 10_000,
  /** About two thousand messages. A client that leaves so many unread has stopped reading. */
  waitingBytes: 1024 * 1024,
  /** A reader that catches up at its own pace must read something at least this often. */
  stalledMs: 60_000,
  /** Checked once per tick, so that a ping is sent at least every 10 s. */
  pingMs: 8_000,
  /** Streams end after this time, so that they spread evenly over replicas. */
  lifeMs: 3_600_000,
  /** Streams of a key that another process deletes end within this time. */
  tickMs: 1_000,
}

export type StreamRequest = Start & { principal: Principal }

export type Streams = {
  /** Throws if refused. Otherwise calls `connect` once and sends to its result. Call `gone` when the client disconnects. */
  open(request: StreamRequest, connect: (gone: () => void) => Sink): Promise<void>
  /** Ends the streams of a deleted key. */
  endKey(keyId: string): void
  count(): number
  /** Asks every client to reconnect soon, and accepts no new ones. */
  close(): void
}

type Ports = {
  store: Pick<Store, 'newestPosition' | 'followMessages' | 'firstPosition' | 'findPrincipal'>
  followers: Pick<Followers, 'follow'>
  frames: { message: (message: StoredSummary) => Buffer; ping: Buffer; reconnect: Buffer }
  log: Log
  now: () => number
}

type OpenStream = Stream & { openedAt: number; sentAt: number }
type OpenKey = { principal: Principal; held: number; streams: Set<OpenStream> }

export function createStreams(ports: Ports, limits = STREAM_LIMITS): Streams {
  const { store, followers, frames, log, now } = ports
  // By hash, because the id stays the same when the key is rotated.
  const keys = new Map<string, OpenKey>()
  const unwritten = new Set<Stream>()
  const frameOf = createFrameCache(frames.message)
  let held = 0
  let isClosing = false
  let isChecking = false
  const timer = setInterval(tick, limits.tickMs).unref()

  /** Messages of one turn of the event loop share one write. */
  function flushSoon(stream: Stream): void {
    if (unwritten.size === 0) setImmediate(flushAll)
    unwritten.add(stream)
  }

  function flushAll(): void {
    const streams = Array.from(unwritten)
    unwritten.clear()
    for (const stream of streams) stream.flush()
  }

  function admit(principal: Principal): OpenKey {
    if (isClosing) throw shuttingDown()
    const key = keys.get(principal.keyHash) ?? { principal, held: 0, streams: new Set() }
    if (key.held >= limits.perKey) {
      throw new AppError('too_many_streams', `This key already has ${limits.perKey} streams open.`, RETRY_SOON)
    }
    if (held >= limits.perProcess) {
      throw new AppError('server_busy', 'The server has as many streams open as it can. Please retry.', RETRY_SOON)
    }
    keys.set(principal.keyHash, key)
    key.held++
    held++
    return key
  }

  function tick(): void {
    const at = performance.now()
    for (const { streams } of keys.values()) {
      for (const stream of streams) {
        if (at - stream.openedAt >= limits.lifeMs) stream.end()
        else if (at - stream.sentAt >= limits.pingMs) {
          stream.sentAt = at
          stream.send(frames.ping)
        }
      }
    }
    if (isChecking) return
    isChecking = true
    endRevokedKeys()
      .catch((error: unknown) => log.error({ err: error }, 'reading the keys of open streams failed'))
      .finally(() => (isChecking = false))
  }

  async function endRevokedKeys(): Promise<void> {
    for (const [keyHash, key] of keys) {
      const principal = await store.findPrincipal(keyHash)
      if (principal && isValid(principal)) key.principal = principal
      else endAll(key)
    }
  }

  function isValid(principal: Principal): boolean {
    return mayRead(principal) && (principal.expiresAt === null || principal.expiresAt > now())
  }

  function endAll({ streams }: OpenKey): void {
    for (const stream of streams) stream.end()
  }

  return {
    async open(request, connect) {
      const { principal, filter } = request
      const key = admit(principal)
      let unfollow = () => {}
      const onOver = () => {
        unfollow()
        unwritten.delete(stream)
        key.streams.delete(stream)
        key.held--
        held--
        if (key.held === 0) keys.delete(principal.keyHash)
      }
      const at = performance.now()
      const stream: OpenStream = Object.assign(
        createStream({
          store,
          filter,
          team: () => key.principal.team,
          now,
          frameOf,
          waitingBytesMax: limits.waitingBytes,
          stalledMsMax: limits.stalledMs,
          flushSoon: () => flushSoon(stream),
          onOver,
          onError: (error) => log.error({ err: error }, 'a stream was closed because reading messages failed'),
        }),
        { openedAt: at, sentAt: at },
      )
      try {
        // Follow before reading, so that a message that becomes visible in between is not missed.
        unfollow = await followers.follow(principal.team.id, filter, (message) => stream.push(frameOf(message)))
        const start = await startPosition(ports, principal.team, request)
        if (isClosing) throw shuttingDown()
        key.streams.add(stream)
        stream.begin(start, connect(stream.gone))
      } catch (error) {
        stream.gone()
        throw error
      }
    },
    endKey(keyId) {
      for (const key of keys.values()) if (key.principal.keyId === keyId) endAll(key)
    },
    count: () => held,
    close() {
      isClosing = true
      clearInterval(timer)
      for (const { streams } of keys.values()) {
        for (const stream of streams) {
          stream.send(frames.reconnect)
          stream.end()
        }
      }
    },
  }
}
