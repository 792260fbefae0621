const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)
/** The largest UUID needs this many digits. */
const LENGTH = 22
const UUID_PARTS = [0, 8, 12, 16, 20, 32]

/** A message id as 22 letters and digits: some clients put ids into paths that allow nothing else. */
export function toShortId(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  for (let place = 0; place < LENGTH; place++) {
    text = DIGITS[Number(rest % BASE)]! + text
    rest /= BASE
  }
  return text
}

/** The message id, also if it was given as such. Null for other text. */
export function fromShortId(text: string): string | null {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  if (!/^[0-9A-Za-z]{22}$/.test(text)) return null
  let value = 0n
  for (const digit of text) value = value * BASE + BigInt(DIGITS.indexOf(digit))
  const hex = value.toString(16).padStart(32, '0')
  if (hex.length > 32) return null
  return UUID_PARTS.slice(1)
    .map((end, index) => hex.slice(UUID_PARTS[index], end))
    .join('-')
}
