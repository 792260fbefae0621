import type { HttpBindings } from '@hono/node-server'
import type { Principal } from '../domain/access.ts'

/** Bindings exist when a socket does; `principal` is set when our own code asks on behalf of a key that it has checked. */
export type ApiEnvironment = {
  Bindings: Partial<HttpBindings> & { principal?: Principal }
  Variables: { requestId: string; version: number | null }
}
