import { hash } from 'node:crypto'
import { READ_SCOPES, type Principal } from '../domain/access.ts'
import { checkApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { KeyEndings } from './key-endings.ts'
import { bearerToken } from './secret.ts'
import { requireScope } from './view.ts'

type Ports = { store: Pick<Store, 'findPrincipal'>; now: () => number }

/** Longer than any key that we create or that an operator may choose. */
const KEY_CHARACTERS_MAX = 200

export function hashApiKey(key: string): string {
  return hash('sha256', key)
}

/** Finds the principal of the key in this header. Throws 401 if there is none. */
export async function authenticate(ports: Ports, authorization: string | undefined): Promise<Principal> {
  const key = bearerToken(authorization)
  // A key in our format with a wrong checksum was never issued, so it is not looked up.
  if (key === null || key.length > KEY_CHARACTERS_MAX || checkApiKey(key) === 'malformed') throw unauthorized()
  return findActive(ports, hashApiKey(key))
}

/** How long a check of a key stays valid, as for streams. Checking more often would delay every response. */
const FRESH_MS = 1_000

/** Checks the key again after a held wait, because it may have ended meanwhile. */
export async function authenticateAgain(
  ports: Ports & { endings: Pick<KeyEndings, 'endedSince'> },
  { keyId, keyHash }: Principal,
  authenticatedAt: number,
): Promise<void> {
  const isFresh = ports.now() - authenticatedAt < FRESH_MS
  if (isFresh && !ports.endings.endedSince(keyId, authenticatedAt)) return
  requireScope(await findActive(ports, keyHash), READ_SCOPES)
}

async function findActive({ store, now }: Ports, keyHash: string): Promise<Principal> {
  const principal = await store.findPrincipal(keyHash)
  if (!principal) throw unauthorized()
  if (principal.expiresAt !== null && principal.expiresAt <= now()) throw new AppError('key_expired', 'API key expired')
  return principal
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Unauthorized')
}
