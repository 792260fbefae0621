// The part of DER (X.690) that a certificate needs: each value is a tag, the length of its content, and the content.

/** A value of these parts. */
function value(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content])
}

/** One byte up to 127; above, the number of bytes that follow, then these. */
function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length]
  const digits = []
  for (let rest = length; rest > 0; rest >>= 8) digits.unshift(rest & 0xff)
  return [0x80 | digits.length, ...digits]
}

export const sequence = (...parts: Uint8Array[]): Buffer => value(0x30, ...parts)
export const set = (...parts: Uint8Array[]): Buffer => value(0x31, ...parts)
/** A positive number: its first bit must not be set. */
export const integer = (bytes: Uint8Array): Buffer => value(0x02, bytes)
export const octetString = (...parts: Uint8Array[]): Buffer => value(0x04, ...parts)
/** Of whole bytes. */
export const bitString = (bytes: Uint8Array): Buffer => value(0x03, Buffer.of(0), bytes)
export const utf8String = (text: string): Buffer => value(0x0c, Buffer.from(text))
export const yes = (): Buffer => value(0x01, Buffer.of(0xff))

/** A value whose meaning is given by its number in the surrounding one. */
export const tagged = (number: number, bytes: Uint8Array): Buffer => value(0x80 | number, bytes)
/** The same for a value that consists of other values. */
export const taggedParts = (number: number, ...parts: Uint8Array[]): Buffer => value(0xa0 | number, ...parts)

/** Such as `2.5.4.3`. The first two numbers share a byte; the others have seven bits in each. */
export function objectIdentifier(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number) as [number, number, ...number[]]
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const digits = [number & 0x7f]
    for (let high = number >> 7; high > 0; high >>= 7) digits.unshift(0x80 | (high & 0x7f))
    bytes.push(...digits)
  }
  return value(0x06, Buffer.from(bytes))
}

/** With two digits for the year until 2049, as RFC 5280 (4.1.2.5) requires. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`
  return date.getUTCFullYear() < 2050 ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits))
}
