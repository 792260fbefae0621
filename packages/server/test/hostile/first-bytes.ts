import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Enough to recognise a reply. */
const KEPT_CHARACTERS = 200

/** A socket as a stream for TLS, which reads a socket itself without leaving a trace. Keeps the first bytes that arrive. */
export function keepFirstBytes(socket: Socket): { stream: Duplex; first: () => string } {
  let first = ''
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (bytes: Buffer, _, onDone) => void socket.write(bytes, onDone),
    final: (onDone) => void socket.end(onDone),
    destroy(error, onDone) {
      socket.destroy()
      onDone(error)
    },
  })
  // TLS reports it too; the listener keeps it from ending the process.
  stream.on('error', () => {})
  socket.on('data', (bytes: Buffer) => {
    if (first.length < KEPT_CHARACTERS) first += bytes.toString('latin1', 0, KEPT_CHARACTERS)
    if (!stream.push(bytes)) socket.pause()
  })
  socket.on('end', () => stream.push(null))
  socket.on('close', () => stream.destroy())
  return { stream, first: () => first }
}
