/** The first `lengthMax` characters, one fewer where that would split a surrogate pair: JSON strings stay well-formed. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text.slice(0, isHighSurrogate(text.charCodeAt(lengthMax - 1)) ? lengthMax - 1 : lengthMax)
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
