import { connect, type Socket } from 'node:net'

/** One buffer for all sockets; each read is processed before the next one. */
const READ_BUFFER = Buffer.allocUnsafe(256 * 1024)

type Events = { onBytes: (chunk: Buffer) => void; onClose: (error: Error | null) => void }

/** A loopback connection without the overhead of readable streams. */
export function openSocket(port: number, { onBytes, onClose }: Events): Socket {
  let failure: Error | null = null
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (length) => {
        onBytes(READ_BUFFER.subarray(0, length))
        return true
      },
    },
  })
  socket.on('error', (error) => {
    failure = error
  })
  socket.on('close', () => onClose(failure))
  return socket
}
