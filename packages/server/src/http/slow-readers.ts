import type { Server } from 'node:http'
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
  lookEveryMs: 1_000,
}
export type ReaderLimits = typeof READER_LIMITS

type Reader = { looks: number; taken: number; finished: number; queued: number; hasMoved: boolean }

/**
 * Cuts connections whose reader does not read, whatever is being sent: raw mail, lists, pages, streams. What waits for
 * a reader is memory.
 */
export function cutSlowReaders(server: Server, limits: ReaderLimits = READER_LIMITS): { close(): void } {
  const readers = new Map<Socket, Reader>()
  server.on('connection', (socket) => {
    readers.set(socket, newReader(socket))
    socket.once('close', () => readers.delete(socket))
  })

  function look(): void {
    let waiting = 0
    for (const [socket, reader] of readers) {
      waiting += socket.writableLength
      if (socket.writableLength === 0) readers.set(socket, newReader(socket))
      else if (isTooSlow(socket, reader)) socket.destroy()
    }
    if (waiting > limits.waitingBytes) cutSlowest(waiting)
  }

  function isTooSlow(socket: Socket, reader: Reader): boolean {
    const [finished, queued] = [socket.bytesWritten - socket.writableLength, queuedBytes(socket)]
    // What is in one write counts when the write has ended; until then, by what the system has taken of it.
    const moved = Math.max(0, finished - reader.finished, reader.queued - queued)
    Object.assign(reader, { taken: reader.taken + moved, finished, queued, hasMoved: moved > 0 })
    if (++reader.looks < limits.looks) return false
    if (reader.taken < limits.bytesTaken) return true
    Object.assign(reader, { looks: 0, taken: 0 })
    return false
  }

  function cutSlowest(waiting: number): void {
    const unread = Array.from(readers, ([socket, reader]) => ({ socket, speed: speedOf(reader) }))
      .filter(({ socket }) => socket.writableLength > 0)
      .sort((one, other) => one.speed - other.speed || other.socket.writableLength - one.socket.writableLength)
    for (const { socket } of unread) {
      if (waiting <= limits.waitingBytes) return
      waiting -= socket.writableLength
      socket.destroy()
    }
  }

  function newReader(socket: Socket): Reader {
    const finished = socket.bytesWritten - socket.writableLength
    return { looks: 0, taken: 0, finished, queued: queuedBytes(socket), hasMoved: true }
  }

  const timer = setInterval(look, limits.lookEveryMs).unref()
  return { close: () => clearInterval(timer) }
}

/** Bytes a look; a reader that has taken nothing since the last look stands still. */
function speedOf({ hasMoved, taken, looks }: Reader): number {
  return hasMoved ? taken / Math.max(1, looks) : 0
}

/** What the system has not taken yet of the writes under way; Node's own idle timeouts go by it, too. */
function queuedBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null }
  return handle?.writeQueueSize ?? 0
}
