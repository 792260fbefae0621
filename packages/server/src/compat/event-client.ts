import type { ServerResponse } from 'node:http'
import type { WebSocket } from 'ws'

const GOING_AWAY = 1001
/** For the client to read the rest when the server ends a stream. */
const END_MS_MAX = 10_000

/** A connection that receives events. */
export type EventClient = {
  send(text: Buffer): void
  /** Bytes that it has not read yet. */
  waitingBytes(): number
  /** Called regularly, to find out whether the connection is alive. */
  ping(): void
  close(): void
  /** Closes at once. */
  cut(): void
  onClose(listener: () => void): void
}

export function webSocketClient(socket: WebSocket): EventClient {
  let hasReplied = true
  socket.on('pong', () => (hasReplied = true))
  // The connection closes after it.
  socket.on('error', () => {})
  return {
    send: (text) => socket.send(text, { binary: false }),
    waitingBytes: () => socket.bufferedAmount,
    ping() {
      if (!hasReplied) return socket.terminate()
      hasReplied = false
      socket.ping()
    },
    close: () => socket.close(GOING_AWAY),
    cut: () => socket.terminate(),
    onClose: (listener) => void socket.on('close', listener),
  }
}

/** Server-sent events. `toFrame` wraps the text of an event. */
export function streamClient(
  outgoing: ServerResponse,
  { toFrame, keepAlive }: { toFrame: (text: Buffer) => Buffer; keepAlive: Buffer },
): EventClient {
  return {
    send: (text) => void outgoing.write(toFrame(text)),
    waitingBytes: () => outgoing.writableLength,
    ping: () => void outgoing.write(keepAlive),
    close() {
      outgoing.end()
      // A client that does not read would keep its connection open.
      const deadline = setTimeout(() => outgoing.destroy(), END_MS_MAX).unref()
      outgoing.once('close', () => clearTimeout(deadline))
    },
    cut: () => void outgoing.destroy(),
    onClose: (listener) => void (outgoing.closed ? listener() : outgoing.once('close', listener)),
  }
}
