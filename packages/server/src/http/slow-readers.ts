import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export const READER_LIMITS = {
  /**
   * While data waits for a reader, it must read `bytesTaken` within this many checks, or its connection is closed. Counts
   * checks instead of time, because a reader gets nothing while the program itself is blocked.
   */
  looks: 30,
  bytesTaken: 64 * 1024,
  /** For all connections together. Above it, the slowest are closed, and of those that read nothing the largest first. */
  waitingBytes: 256 * 1024 * 1024,
  /**
   * For one client. Above it, its connections are closed that have read nothing between two checks, or that would need
   * more than `looks` checks for the rest. Enough for six lists of 200 messages with the longest escaped subjects.
   */
  waitingBytesPerClient: 64 * 1024 * 1024,
  lookEveryMs: 1_000,
}
export type ReaderLimits = typeof READER_LIMITS

type Reader = {
  /** The key, the session or the address of the last request. */
  client: string
  /** Responses to pipelined requests wait for their turn outside of the connection. */
  answers: Set<ServerResponse>
  /** Checks while data waits for it. It is measured from the first. */
  looks: number
  taken: number
  /** The count of accepted bytes when nothing was waiting, and at the last check. */
  acceptedAtRest: number
  accepted: number
  hasMoved: boolean
}
type Waiting = { socket: Socket; reader: Reader; bytes: number }

export type SlowReaders = {
  /** Call for each request. Its response counts for its client. */
  begin(request: IncomingMessage, answer: ServerResponse): void
  /** Call when a response was written to the connection. */
  answered(request: IncomingMessage): void
  /** Whether a response on the connection is not complete. */
  isBeingAnswered(connection: Duplex): boolean
  close(): void
}

/**
 * Closes connections whose client does not read, for all responses: raw mail, lists, pages, streams. Data that waits for
 * a client takes memory.
 */
export function cutSlowReaders(server: Server, limits: ReaderLimits = READER_LIMITS): SlowReaders {
  const readers = new Map<Socket, Reader>()
  /** An upper bound of the waiting bytes. Clients may have read some since the last check. */
  let waitingBound = 0
  server.on('connection', (socket) => {
    const reader = { client: '', answers: new Set<ServerResponse>(), ...stateOf(socket) }
    readers.set(socket, reader)
    socket.once('close', () => readers.delete(socket))
  })

  function look(): void {
    for (const { socket, reader } of waitingReaders()) if (isTooSlow(socket, reader)) socket.destroy()
    const byClient = Map.groupBy(waitingReaders(), ({ reader }) => reader.client)
    for (const ofClient of byClient.values()) {
      closeSlowest(ofClient, limits.waitingBytesPerClient, ({ reader, bytes }) => isTooSlowForRest(reader, bytes))
    }
    closeSlowestOfAll()
  }

  function closeSlowestOfAll(): void {
    waitingBound = closeSlowest(waitingReaders(), limits.waitingBytes)
  }

  function waitingReaders(): Waiting[] {
    const waiting: Waiting[] = []
    for (const [socket, reader] of readers) {
      const bytes = socket.destroyed ? 0 : waitingBytes(socket, reader.answers)
      if (bytes > 0) waiting.push({ socket, reader, bytes })
      else Object.assign(reader, stateOf(socket))
    }
    return waiting
  }

  function isTooSlow(socket: Socket, reader: Reader): boolean {
    const accepted = acceptedBytes(socket)
    // At the first check, its data may have been written a moment ago, and the system has accepted some for itself.
    const isMeasured = reader.looks > 0
    const moved = isMeasured ? accepted - reader.accepted : 0
    Object.assign(reader, { taken: reader.taken + moved, accepted, hasMoved: !isMeasured || moved > 0 })
    if (++reader.looks < limits.looks) return false
    if (reader.taken < limits.bytesTaken) return true
    Object.assign(reader, { looks: 1, taken: 0 })
    return false
  }

  function isTooSlowForRest(reader: Reader, bytes: number): boolean {
    return reader.looks > 1 && speedOf(reader) * limits.looks < bytes
  }

  const timer = setInterval(look, limits.lookEveryMs).unref()
  return {
    begin({ socket, headers }, answer) {
      const reader = readers.get(socket)
      if (!reader) return
      reader.client = headers.authorization ?? headers.cookie ?? socket.remoteAddress ?? ''
      reader.answers.add(answer)
      answer.once('close', () => reader.answers.delete(answer))
    },
    answered({ socket }) {
      const reader = readers.get(socket)
      if (reader) waitingBound += waitingBytes(socket, reader.answers)
      // Does not wait for the next check, because large responses can fill the memory within a second.
      if (waitingBound > limits.waitingBytes) closeSlowestOfAll()
    },
    // The connections of the server are sockets.
    isBeingAnswered: (connection) => (readers.get(connection as Socket)?.answers.size ?? 0) > 0,
    close: () => clearInterval(timer),
  }
}

/** Closes connections until at most `bytesMax` wait. Returns the waiting bytes. */
function closeSlowest(waiting: Waiting[], bytesMax: number, mayClose: (one: Waiting) => boolean = () => true): number {
  let sum = waiting.reduce((total, { bytes }) => total + bytes, 0)
  if (sum <= bytesMax) return sum
  const slowest = waiting
    .filter(mayClose)
    .sort(
      (one, other) =>
        speedOf(one.reader) - speedOf(other.reader) ||
        other.bytes - one.bytes ||
        acceptedSinceRest(one) - acceptedSinceRest(other),
    )
  for (const { socket, bytes } of slowest) {
    if (sum <= bytesMax) break
    sum -= bytes
    socket.destroy()
  }
  return sum
}

/** Bytes per check. 0 if the client has read nothing since the last check, 1 for a new one of unknown speed. */
function speedOf({ hasMoved, taken, looks }: Reader): number {
  if (!hasMoved) return 0
  return looks <= 1 ? 1 : taken / (looks - 1)
}

function acceptedSinceRest({ socket, reader }: Waiting): number {
  return acceptedBytes(socket) - reader.acceptedAtRest
}

/** All bytes in memory for a client. */
function waitingBytes(socket: Socket, answers: Set<ServerResponse>): number {
  let bytes = socket.writableLength
  if (bytes > 0) {
    // Node counts queued text by its characters, and each may take three bytes.
    const handle = handleOf(socket)
    bytes = Math.max(bytes, socket.bytesWritten - (handle?.bytesWritten ?? 0) + (handle?.writeQueueSize ?? 0))
  }
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength
  return bytes
}

/** The state while nothing waits. */
function stateOf(socket: Socket) {
  const accepted = acceptedBytes(socket)
  return { looks: 0, taken: 0, acceptedAtRest: accepted, accepted, hasMoved: true }
}

/** What the system has accepted for the client so far, also of a write that has not ended. */
function acceptedBytes(socket: Socket): number {
  const handle = handleOf(socket)
  return (handle?.bytesWritten ?? 0) - (handle?.writeQueueSize ?? 0)
}

/** Node's handle, which knows how many bytes the system has not accepted yet. Node's idle timeouts use it, too. */
function handleOf(socket: Socket) {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number; bytesWritten?: number } | null }
  return handle
}
