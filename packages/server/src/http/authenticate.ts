import { hash } from 'node:crypto'
import { READ_SCOPES, type Principal } from '../domain/access.ts'
import { checkApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { KeyEndings } from './key-endings.ts'
import { bearerToken } from './secret.ts'
import { requireScope } from './view.ts'

type Ports = { store: Pick<Store, 'findPrincipal'>; now: () => number }

/** Longer than any key of ours or any that an operator may choose. */
const KEY_CHARACTERS_MAX = 200

export function hashApiKey(key: string): string {
  return hash('sha256', key)
}

/** Who holds the key of this header. Throws 401 for anything else. */
export async function authenticate(ports: Ports, authorization: string | undefined): Promise<Principal> {
  const key = bearerToken(authorization)
  // A key of our own form with a wrong checksum was never given out: no need to look.
  if (key === null || key.length > KEY_CHARACTERS_MAX || checkApiKey(key) === 'malformed') throw unauthorized()
  return findLiving(ports, hashApiKey(key))
}

/** As long as streams of a key that another process has ended go on; looking again sooner would delay every answer. */
const FRESH_MS = 1_000

/** After a held wait: meanwhile the key may have died, and then it opens nothing any more. */
export async function authenticateAgain(
  ports: Ports & { keyEndings: KeyEndings },
  { keyId, keyHash }: Principal,
  authenticatedAt: number,
): Promise<void> {
  const isFresh = ports.now() - authenticatedAt < FRESH_MS
  if (isFresh && !ports.keyEndings.endedSince(keyId, authenticatedAt)) return
  requireScope(await findLiving(ports, keyHash), READ_SCOPES)
}

async function findLiving({ store, now }: Ports, keyHash: string): Promise<Principal> {
  const principal = await store.findPrincipal(keyHash)
  if (!principal) throw unauthorized()
  if (principal.expiresAt !== null && principal.expiresAt <= now()) throw new AppError('key_expired', 'API key expired')
  return principal
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Unauthorized')
}
