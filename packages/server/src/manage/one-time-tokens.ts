import { AppError } from '../domain/errors.ts'
import type { TokenPurpose } from '../store/accounts.ts'
import type { Store } from '../store/store.ts'
import { hashToken } from './sessions.ts'

/** Tokens appear in URLs, which histories and proxies store, so they expire soon. */
const TOKEN_MS = 10 * 60_000

type GivingPorts = { store: Pick<Store, 'addToken'>; newSecret: () => string; now: () => number }

/** The page that accepts each kind. */
const PAGES: Record<TokenPurpose, string> = { 'sign-in': 'sign-in', reset: 'reset', check: 'check' }

export async function createToken({ store, newSecret, now }: GivingPorts, userId: string, purpose: TokenPurpose) {
  const token = newSecret()
  const at = now()
  await store.addToken({ hash: hashToken(token), userId, purpose, expiresAt: at + TOKEN_MS, createdAt: at })
  return token
}

export function linkWith(token: string, purpose: TokenPurpose, appUrl: string): string {
  return `${appUrl}/${PAGES[purpose]}?token=${token}`
}

/** Uses up the token and returns its user's id. Throws if it is unknown, used or expired. */
export async function takeToken(
  { store, now }: { store: Pick<Store, 'takeToken'>; now: () => number },
  token: string,
  purpose: TokenPurpose,
): Promise<string> {
  return orThrow(await store.takeToken(hashToken(token), purpose, now()))
}

/** Returns the token's user id without using it up. */
export async function readToken(
  { store, now }: { store: Pick<Store, 'findToken'>; now: () => number },
  token: string,
  purpose: TokenPurpose,
): Promise<string> {
  return orThrow(await store.findToken(hashToken(token), purpose, now()))
}

function orThrow(userId: string | null): string {
  if (userId === null) throw new AppError('token_invalid', 'This link has expired or was used already.')
  return userId
}
