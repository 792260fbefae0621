import type { Scope } from '@mailhatch/sdk'
import type { Principal } from '../domain/access.ts'
import { maskApiKey, newApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { ApiKey, Mailbox, NewKey, Store, Team } from '../store/store.ts'

export type KeyMaking = {
  hashKey: (key: string) => string
  random: RandomInt
  newId: (now: number) => string
  now: () => number
}

type Ports = KeyMaking & { store: Pick<Store, 'addKey'> }

/** Called with the new key after a rotation. Never rejects: the old key no longer works by then. */
export type KeyRotated = (change: { oldHash: string; key: string }) => Promise<void>

type RotatingPorts = KeyMaking & { keyRotated: KeyRotated }

export const KEY_NAME_MAX = 100

export type KeyWish = {
  name: string
  scope: Scope
  /** For `email.mailbox` keys, and only for them. */
  mailbox: Mailbox | null
  expiresAt?: number | null
  /** Given by an operator instead of drawn. */
  key?: string | null
  /** The user who makes it; without one it is the operator, whom no plan limits. */
  createdBy?: string | null
}

/** Makes a key and returns it in clear, for the only time. */
export async function createKey(ports: Ports, team: Team, wish: KeyWish): Promise<MadeKey> {
  const made = makeKey(ports, team.id, wish)
  const added = await ports.store.addKey(made.record, wish.createdBy ? PLANS[team.plan].keys : null)
  if (added === 'limit') throw new AppError('key_limit', 'API key limit reached for this plan.')
  if (added === 'maker gone') throw new AppError('forbidden', 'You are not in this team any more.')
  return made
}

export type MadeKey = { key: string; record: NewKey }

/** The key gets another value, returned in clear for the only time; the old one is dead. */
export async function rotateKey(
  ports: RotatingPorts & { store: Pick<Store, 'rotateKey'> },
  { keyId, keyHash }: Pick<Principal, 'keyId' | 'keyHash'>,
): Promise<{ key: string; masked: string }> {
  const key = newApiKey(ports.random)
  const masked = maskApiKey(key)
  const isRotated = await ports.store.rotateKey(keyId, { oldHash: keyHash, hash: ports.hashKey(key), masked })
  // Someone else with the same key was quicker, or it was revoked: it opens nothing any more.
  if (!isRotated) throw new AppError('unauthorized', 'Unauthorized')
  await ports.keyRotated({ oldHash: keyHash, key })
  return { key, masked }
}

/** The same for a key of the team, by someone who does not hold it: so nobody has checked yet that it lives. */
export async function rotateTeamKey(
  ports: RotatingPorts & { store: Pick<Store, 'rotateKey' | 'findKey'> },
  where: { teamId: string; id: string },
): Promise<{ key: string; apiKey: ApiKey }> {
  const found = await ports.store.findKey(where)
  if (!found) throw new AppError('not_found', 'Not found')
  if (found.expiresAt !== null && found.expiresAt <= ports.now()) {
    // Not 401, by which a page would take its session for ended.
    throw new AppError('key_expired', 'This key has expired. Create a new one.', { status: 400 })
  }
  const { key, masked } = await rotateKey(ports, { keyId: found.id, keyHash: found.hash })
  return { key, apiKey: { ...found, masked } }
}

export async function removeTeamKey(
  { store }: { store: Pick<Store, 'findKey' | 'removeKey'> },
  where: { teamId: string; id: string },
): Promise<void> {
  const found = await store.findKey(where)
  if (!found || !(await store.removeKey(where.id))) throw new AppError('not_found', 'Not found')
}

/** The key and what is to be stored of it. */
export function makeKey(ports: KeyMaking, teamId: string, wish: KeyWish): MadeKey {
  if ((wish.scope === 'email.mailbox') !== (wish.mailbox !== null)) {
    throw new AppError('validation_failed', 'A key with the scope email.mailbox, and only such a key, has a mailbox.')
  }
  const key = wish.key ?? newApiKey(ports.random)
  const at = ports.now()
  const record = {
    id: ports.newId(at),
    teamId,
    name: wish.name,
    hash: ports.hashKey(key),
    masked: maskApiKey(key),
    scopes: [wish.scope],
    mailboxId: wish.mailbox?.id ?? null,
    expiresAt: wish.expiresAt ?? null,
    createdAt: at,
    createdBy: wish.createdBy ?? null,
  }
  return { key, record }
}
