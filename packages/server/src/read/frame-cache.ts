import type { StoredSummary } from '../store/store.ts'

/** Some eight thousand messages: those that readers are at, and that readers who come back have missed. */
const CACHED_BYTES_MAX = 4 * 1024 * 1024

/** A message in the form in which it travels. */
export type Frame = { position: number; receivedAt: number; bytes: Buffer }

/** However many streams a message goes to, its bytes are made once. */
export function createFrameCache(toBytes: (message: StoredSummary) => Buffer): (message: StoredSummary) => Frame {
  const frames = new Map<string, Frame & { mailbox: string }>()
  let cachedBytes = 0

  return (message) => {
    const { id, position, receivedAt, mailbox } = message
    const known = frames.get(id)
    // Nothing of a message changes but the name of its mailbox.
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
