/** The first `lengthMax` code units, or one fewer if that would split a surrogate pair. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}

/** The longest prefix that fits into `bytesMax` bytes of UTF-8 without splitting a character. */
export function cutToBytes(text: string, bytesMax: number): string {
  // A code unit takes one to three bytes.
  if (3 * text.length <= bytesMax) return text
  const { read } = new TextEncoder().encodeInto(text.slice(0, bytesMax + 1), new Uint8Array(bytesMax))
  return read === text.length ? text : text.slice(0, read)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
