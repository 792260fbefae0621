import type { MiddlewareHandler } from 'hono'
import { AppError } from '../domain/errors.ts'

const BEARER = /^bearer +(\S+)\s*$/i

/** Requires the bearer token, compared in constant time. Without a configured token, refuses every request. */
export function requireToken(token: string | null): MiddlewareHandler {
  return async (context, next) => {
    const given = BEARER.exec(context.req.header('authorization') ?? '')?.[1]
    if (!token || given === undefined || !(await isEqual(given, token))) {
      throw new AppError('unauthorized', 'Unauthorized')
    }
    // The responses contain mail, so no cache may store them.
    context.header('cache-control', 'private, no-store')
    await next()
  }
}

/** Compares hashes: they have equal length, and their difference reveals nothing about the texts. */
async function isEqual(given: string, expected: string): Promise<boolean> {
  const [one, other] = await Promise.all([given, expected].map(sha256))
  let difference = 0
  for (const [index, byte] of one!.entries()) difference |= byte ^ other![index]!
  return difference === 0
}

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}
