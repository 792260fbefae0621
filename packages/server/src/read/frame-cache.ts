import type { StoredSummary } from '../store/messages.ts'

/** About eight thousand messages: the newest ones, and those that reconnecting readers have missed. */
const CACHED_BYTES_MAX = 4 * 1024 * 1024

/** A message as bytes for the stream. */
export type MessageFrame = { position: number; receivedAt: number; bytes: Buffer }

/** Encodes a message once for all streams it is sent to. */
export function createFrameCache(
  toBytes: (message: StoredSummary) => Buffer,
): (message: StoredSummary) => MessageFrame {
  const frames = new Map<string, MessageFrame & { mailbox: string }>()
  let cachedBytes = 0

  return (message) => {
    const { id, position, receivedAt, mailbox } = message
    const known = frames.get(id)
    // Only the mailbox name of a message can change.
    if (known?.mailbox === mailbox) return known
    const bytes = toBytes(message)
    cachedBytes += bytes.length
    if (cachedBytes > CACHED_BYTES_MAX) {
      frames.clear()
      cachedBytes = bytes.length
    }
    const frame = { position, receivedAt, bytes, mailbox }
    frames.set(id, frame)
    return frame
  }
}
