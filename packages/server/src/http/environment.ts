import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '../domain/access.ts'

/** A request from a socket has bindings. An internal call sets `principal`, whose key it has already checked. */
export type ApiEnvironment = {
  Bindings: Partial<HttpBindings> & { principal?: Principal }
  Variables: { requestId: string }
}
