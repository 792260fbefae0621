/** Placeholder in prepared requests and mails, for example for the digits of an address. */
export const FRESH_DIGITS = 'ffffffffffff'

const written = new WeakMap<Buffer, number[]>()

/** Replaces the placeholder everywhere by the number, also if another number has replaced it before. */
export function writeFresh(buffers: Buffer[], number: number): void {
  const digits = freshDigits(number)
  for (const buffer of buffers) {
    const places = written.get(buffer) ?? placesIn(buffer)
    written.set(buffer, places)
    for (const place of places) buffer.write(digits, place, 'latin1')
  }
}

export function freshDigits(number: number): string {
  return number.toString(16).padStart(FRESH_DIGITS.length, '0')
}

function placesIn(buffer: Buffer): number[] {
  const places: number[] = []
  for (let at = buffer.indexOf(FRESH_DIGITS); at !== -1; at = buffer.indexOf(FRESH_DIGITS, at + 1)) places.push(at)
  return places
}
