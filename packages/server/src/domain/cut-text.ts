/** The first `lengthMax` characters, one fewer where that would split a surrogate pair: JSON strings stay well-formed. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}

/** As much as fits into so many bytes of UTF-8, whole characters only. */
export function cutToBytes(text: string, bytesMax: number): string {
  // No code unit takes more than three bytes, and none less than one.
  if (3 * text.length <= bytesMax) return text
  const { read } = new TextEncoder().encodeInto(text.slice(0, bytesMax + 1), new Uint8Array(bytesMax))
  return read === text.length ? text : text.slice(0, read)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
