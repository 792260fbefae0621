/** UUID version 7 (RFC 9562): sorts by time, so object keys and indexes grow at one end. `random` is 10 bytes. */
export function uuidv7(nowMs: number, random: Uint8Array): string {
  const time = nowMs.toString(16).padStart(12, '0')
  const tail = Array.from(random.subarray(0, 10), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const variant = ((random[2]! & 0x3f) | 0x80).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(1, 4)}-${variant}${tail.slice(6, 8)}-${tail.slice(8, 20)}`
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)
}
