const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** UUID version 7 (RFC 9562). It sorts by time, so object keys and indexes grow at one end. `random` has 10 bytes. */
export function uuidv7(nowMs: number, random: Uint8Array): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const hex = (index: number) => HEX[random[index]!]!
  const version = HEX[0x70 | (random[0]! & 0x0f)]!
  const variant = HEX[0x80 | (random[2]! & 0x3f)]!
  return (
    `${time.slice(0, 8)}-${time.slice(8)}-${version}${hex(1)}-${variant}${hex(3)}-` +
    `${hex(4)}${hex(5)}${hex(6)}${hex(7)}${hex(8)}${hex(9)}`
  )
}

/** Sorts before every UUID of version 7 of this time, and after those of earlier times. */
export function uuidsFrom(ms: number): string {
  return uuidv7(ms, new Uint8Array(10)).slice(0, 14)
}

/** The time in milliseconds at the start of a UUID of version 7. NaN for other text. */
export function uuidTime(id: string): number {
  return Number(`0x${id.slice(0, 8)}${id.slice(9, 13)}`)
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
