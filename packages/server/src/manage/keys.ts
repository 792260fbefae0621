import type { Scope } from '@mailhatch/sdk'
import type { Principal } from '../domain/access.ts'
import { maskApiKey, newApiKey } from '../domain/api-key.ts'
import { AppError } from '../domain/errors.ts'
import { PLANS } from '../domain/plans.ts'
import type { RandomInt } from '../domain/random-text.ts'
import type { ApiKey, Mailbox, NewKey, Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'

export type KeyPorts = {
  hashKey: (key: string) => string
  random: RandomInt
  newId: (now: number) => string
  now: () => number
}

type Ports = KeyPorts & { store: Pick<Store, 'addKey'> }

/** Called with the new key after a rotation. Must not reject, because the old key no longer works. */
export type KeyRotated = (change: { oldHash: string; key: string }) => Promise<void>

type RotatingPorts = KeyPorts & { keyRotated: KeyRotated }

export const KEY_NAME_MAX = 100

export type KeyInput = {
  name: string
  scope: Scope
  /** Set for `email.mailbox` keys only. */
  mailbox: Mailbox | null
  expiresAt?: number | null
  /** Chosen by an operator instead of generated. */
  key?: string | null
  /** The user who creates it. Null for the operator, who is not limited by the plan. */
  createdBy?: string | null
}

/** Creates a key and returns it in plain text, the only time. */
export async function createKey(ports: Ports, team: Team, input: KeyInput): Promise<CreatedKey> {
  const created = newKey(ports, team.id, input)
  const added = await ports.store.addKey(created.record, input.createdBy ? PLANS[team.plan].keys : null)
  if (added === 'limit') throw new AppError('key_limit', 'API key limit reached for this plan.')
  if (added === 'creator left') throw new AppError('forbidden', 'You are no longer a member of this team.')
  // Only a broken source of random values does that.
  if (added === 'taken') throw new Error('A key with the same random value exists.')
  return created
}

export type CreatedKey = { key: string; record: NewKey }

/** Replaces the value of a key and returns it in plain text, the only time. The old value stops working. */
export async function rotateKey(
  ports: RotatingPorts & { store: Pick<Store, 'rotateKey'> },
  { keyId, keyHash }: Pick<Principal, 'keyId' | 'keyHash'>,
): Promise<{ key: string; masked: string }> {
  const key = newApiKey(ports.random)
  const masked = maskApiKey(key)
  const isRotated = await ports.store.rotateKey(keyId, { oldHash: keyHash, hash: ports.hashKey(key), masked })
  // Another client rotated the same key, or it was deleted: this value is no longer valid.
  if (!isRotated) throw new AppError('unauthorized', 'Unauthorized')
  await ports.keyRotated({ oldHash: keyHash, key })
  return { key, masked }
}

/** Rotates a key of the team for a user who does not hold it, so its expiry must be checked here. */
export async function rotateTeamKey(
  ports: RotatingPorts & { store: Pick<Store, 'rotateKey' | 'findKey'> },
  where: { teamId: string; id: string },
): Promise<{ key: string; apiKey: ApiKey }> {
  const found = await ports.store.findKey(where)
  if (!found) throw new AppError('not_found', 'Not found')
  if (found.expiresAt !== null && found.expiresAt <= ports.now()) {
    // Not 401, which would make the dashboard end the session.
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

/** Generates a key and the record to store. */
export function newKey(ports: KeyPorts, teamId: string, input: KeyInput): CreatedKey {
  if ((input.scope === 'email.mailbox') !== (input.mailbox !== null)) {
    throw new AppError(
      'validation_failed',
      'A mailbox is required for the scope email.mailbox, and not allowed for others.',
    )
  }
  const key = input.key ?? newApiKey(ports.random)
  const at = ports.now()
  const record = {
    id: ports.newId(at),
    teamId,
    name: input.name,
    hash: ports.hashKey(key),
    masked: maskApiKey(key),
    scopes: [input.scope],
    mailboxId: input.mailbox?.id ?? null,
    expiresAt: input.expiresAt ?? null,
    createdAt: at,
    createdBy: input.createdBy ?? null,
  }
  return { key, record }
}
