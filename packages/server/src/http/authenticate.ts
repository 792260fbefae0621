import { hash } from 'node:crypto'
import { READ_SCOPES, type Principal } from '../domain/access.ts'
import { checkApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { KeyChecks } from './key-checks.ts'
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

/** Checks the key again after a held wait, because it may have ended meanwhile. */
export async function authenticateAgain(
  ports: Ports & { checks: Pick<KeyChecks, 'isFresh'> },
  principal: Principal,
): Promise<void> {
  if (ports.checks.isFresh(principal)) requireUnexpired(ports, principal)
  else requireScope(await findActive(ports, principal.keyHash), READ_SCOPES)
}

async function findActive(ports: Ports, keyHash: string): Promise<Principal> {
  const principal = await ports.store.findPrincipal(keyHash)
  if (!principal) throw unauthorized()
  requireUnexpired(ports, principal)
  return principal
}

function requireUnexpired({ now }: Pick<Ports, 'now'>, { expiresAt }: Principal): void {
  if (expiresAt !== null && expiresAt <= now()) throw new AppError('key_expired', 'API key expired')
}

function unauthorized(): AppError {
  return new AppError('unauthorized', 'Unauthorized')
}
