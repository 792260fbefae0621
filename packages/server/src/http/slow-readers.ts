import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export const READER_LIMITS = {
  /**
   * With something waiting for it all the time, a reader takes at least so many bytes in so many looks, or is cut.
   * Looks and not time, because of a program that is held up itself no reader can take anything.
   */
  looks: 30,
  bytesTaken: 64 * 1024,
  /** Of all connections together: beyond, the slowest are cut, of those that take nothing the largest first. */
  waitingBytes: 256 * 1024 * 1024,
  /**
   * Of one client: beyond, those of its connections are cut that have stood still since the last look, or that would
   * need more than `looks` for what waits. Room for six lists of 200 of the longest subjects that JSON has to escape.
   */
  waitingBytesPerClient: 64 * 1024 * 1024,
  lookEveryMs: 1_000,
}
export type ReaderLimits = typeof READER_LIMITS

type Reader = {
  /** Whose connection it is: the key, the session or the address of the last request. */
  client: string
  /** Those of pipelined requests wait for their turn beside the connection. */
  answers: Set<ServerResponse>
  looks: number
  taken: number
  finished: number
  queued: number
  hasMoved: boolean
}
type Waiting = { socket: Socket; reader: Reader; bytes: number }

export type SlowReaders = {
  /** A request has come; what is answered counts for its client. */
  begin(request: IncomingMessage, answer: ServerResponse): void
  /** An answer has been handed to the connection. */
  answered(request: IncomingMessage): void
  close(): void
}

/**
 * Cuts connections whose reader does not read, whatever is being sent: raw mail, lists, pages, streams. What waits for
 * a reader is memory.
 */
export function cutSlowReaders(server: Server, limits: ReaderLimits = READER_LIMITS): SlowReaders {
  const readers = new Map<Socket, Reader>()
  /** At most so much waits: since the last look some may have been taken. */
  let waitingMost = 0
  server.on('connection', (socket) => {
    const reader = { client: '', answers: new Set<ServerResponse>(), ...standOf(socket) }
    readers.set(socket, reader)
    socket.once('close', () => readers.delete(socket))
  })

  function look(): void {
    for (const { socket, reader } of waitingReaders()) if (isTooSlow(socket, reader)) socket.destroy()
    const byClient = Map.groupBy(waitingReaders(), ({ reader }) => reader.client)
    for (const ofClient of byClient.values()) {
      cutSlowest(ofClient, limits.waitingBytesPerClient, ({ reader, bytes }) => isHoldingUp(reader, bytes))
    }
    cutSlowestOfAll()
  }

  function cutSlowestOfAll(): void {
    waitingMost = cutSlowest(waitingReaders(), limits.waitingBytes)
  }

  function waitingReaders(): Waiting[] {
    const waiting: Waiting[] = []
    for (const [socket, reader] of readers) {
      const bytes = socket.destroyed ? 0 : waitingBytes(socket, reader.answers)
      if (bytes > 0) waiting.push({ socket, reader, bytes })
      else Object.assign(reader, standOf(socket))
    }
    return waiting
  }

  function isTooSlow(socket: Socket, reader: Reader): boolean {
    const { finished, queued } = standOf(socket)
    // What is in one write counts when the write has ended; until then, by what the system has taken of it.
    const moved = Math.max(0, finished - reader.finished, reader.queued - queued)
    Object.assign(reader, { taken: reader.taken + moved, finished, queued, hasMoved: moved > 0 })
    if (++reader.looks < limits.looks) return false
    if (reader.taken < limits.bytesTaken) return true
    Object.assign(reader, { looks: 0, taken: 0 })
    return false
  }

  function isHoldingUp(reader: Reader, bytes: number): boolean {
    return reader.looks > 0 && speedOf(reader) * limits.looks < bytes
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
      if (reader) waitingMost += waitingBytes(socket, reader.answers)
      // Not left until the next look: large answers may fill the memory in a second.
      if (waitingMost > limits.waitingBytes) cutSlowestOfAll()
    },
    close: () => clearInterval(timer),
  }
}

/** Cuts until no more than `bytesMax` wait, and returns how much that is. */
function cutSlowest(waiting: Waiting[], bytesMax: number, mayCut: (one: Waiting) => boolean = () => true): number {
  let sum = waiting.reduce((total, { bytes }) => total + bytes, 0)
  if (sum <= bytesMax) return sum
  const slowest = waiting
    .filter(mayCut)
    .sort((one, other) => speedOf(one.reader) - speedOf(other.reader) || other.bytes - one.bytes)
  for (const { socket, bytes } of slowest) {
    if (sum <= bytesMax) break
    sum -= bytes
    socket.destroy()
  }
  return sum
}

/** Bytes a look; a reader that has taken nothing since the last look stands still, and of a new one nothing is known. */
function speedOf({ hasMoved, taken, looks }: Reader): number {
  if (!hasMoved) return 0
  return looks === 0 ? 1 : taken / looks
}

/** All that is kept in memory for a reader. */
function waitingBytes(socket: Socket, answers: Set<ServerResponse>): number {
  let bytes = socket.writableLength
  if (bytes > 0) {
    // Text that is not under way yet counts by its characters there, of which each may be three bytes.
    const handle = handleOf(socket)
    bytes = Math.max(bytes, socket.bytesWritten - (handle?.bytesWritten ?? 0) + (handle?.writeQueueSize ?? 0))
  }
  for (const answer of answers) if (answer.socket === null) bytes += answer.writableLength
  return bytes
}

/** Where a reader begins to be judged. */
function standOf(socket: Socket) {
  const finished = socket.bytesWritten - socket.writableLength
  return { looks: 0, taken: 0, finished, queued: handleOf(socket)?.writeQueueSize ?? 0, hasMoved: true }
}

/** Knows what the system has not taken yet of the writes under way; Node's own idle timeouts go by it, too. */
function handleOf(socket: Socket) {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number; bytesWritten?: number } | null }
  return handle
}
