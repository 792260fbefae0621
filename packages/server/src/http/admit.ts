import type { Context } from 'hono'
import type { Principal } from '../domain/access.ts'
import type { Store } from '../store/store.ts'
import { authenticate } from './authenticate.ts'
import type { ApiEnvironment } from './environment.ts'
import type { RateLimit } from './rate-limit.ts'

/** Checks the key, then the rate limit of its team. Throws 401 or 429. */
export type Admit = (context: Context<ApiEnvironment>) => Promise<Principal>

type Ports = {
  store: Pick<Store, 'findPrincipal'>
  now: () => number
  recordUse: (keyId: string) => void
  /** Null if requests are not limited. */
  rateLimit: RateLimit | null
}

export function createAdmit(ports: Ports): Admit {
  return async (context) => {
    const principal = await authenticate(ports, context.req.header('authorization'))
    ports.recordUse(principal.keyId)
    for (const [name, value] of Object.entries(ports.rateLimit?.(principal.team) ?? {})) context.header(name, value)
    return principal
  }
}
