import { hash, timingSafeEqual } from 'node:crypto'

/** Compares in constant time, whatever the lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}

/** The credential of `Authorization: Bearer …`, or null. */
export function bearerToken(header: string | undefined): string | null {
  const match = header === undefined ? null : /^bearer +(\S+)\s*$/i.exec(header)
  return match?.[1] ?? null
}
