/** Frees the memory of large bytes that are not read any more, without waiting for the garbage collector. */
export function release({ buffer, byteLength }: Uint8Array): void {
  // A view may share its buffer with others, and detached bytes belong to another thread.
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
  if (isOwn && !buffer.detached) buffer.transfer(0)
}
