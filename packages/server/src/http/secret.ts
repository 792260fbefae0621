import { hash, timingSafeEqual } from 'node:crypto'

/** Compares with a secret in constant time, for values of any length. */
export function secretCheck(expected: string): (given: string) => boolean {
  const expectedHash = hash('sha256', expected, 'buffer')
  return (given) => timingSafeEqual(hash('sha256', given, 'buffer'), expectedHash)
}

/** The credential of `Authorization: Bearer …`, or null. */
export function bearerToken(header: string | undefined): string | null {
  const match = header === undefined ? null : /^bearer +(\S|\S.*\S)\s*$/i.exec(header)
  return match?.[1] ?? null
}
