import type { Scope } from '@mailhatch/sdk'
import { FULL_SCOPES, READ_SCOPES } from '../../domain/access.ts'

type Credentials = { needs: 'nothing' } | { needs: 'webhook secret' } | { needs: 'key'; scopes: readonly Scope[] }

/** Who may call a route. The checks, the OpenAPI document and the matrix test read this table. */
export const ACCESS = {
  everyone: { needs: 'nothing' },
  'webhook secret': { needs: 'webhook secret' },
  'any scope': { needs: 'key', scopes: READ_SCOPES },
  'api.full': { needs: 'key', scopes: FULL_SCOPES },
} as const satisfies Record<string, Credentials>

export type Access = keyof typeof ACCESS

/** The kinds of access that need a key. */
export type KeyAccess = { [Name in Access]: (typeof ACCESS)[Name]['needs'] extends 'key' ? Name : never }[Access]

/** A key needs one of these scopes. Null if no key is needed. */
export function scopesFor(access: Access): readonly Scope[] | null {
  const credentials: Credentials = ACCESS[access]
  return credentials.needs === 'key' ? credentials.scopes : null
}
