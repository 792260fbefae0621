import { hash } from 'node:crypto'
import type { Principal } from '../domain/access.ts'
import { checkApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import { bearerToken } from './secret.ts'

/** Longer than any key of ours or any that an operator may choose. */
const KEY_CHARACTERS_MAX = 200

export function hashApiKey(key: string): string {
  return hash('sha256', key)
}

/** Who holds the key of this header. Throws 401 for anything else. */
export async function authenticate(
  { store, now }: { store: Pick<Store, 'findPrincipal'>; now: () => number },
  authorization: string | undefined,
): Promise<Principal> {
  const key = bearerToken(authorization)
  // A key of our own form with a wrong checksum was never given out: no need to look.
  if (key === null || key.length > KEY_CHARACTERS_MAX || checkApiKey(key) === 'malformed') throw unauthorized()
  const principal = await store.findPrincipal(hashApiKey(key))
  if (!principal) throw unauthorized()
  if (principal.expiresAt !== null && principal.expiresAt <= now()) throw new AppError('key_expired', 'API key expired')
  return principal
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Unauthorized')
}
