import type { Principal } from '../domain/access.ts'
import type { Upgrades } from '../http/listen.ts'
import type { ApiPorts } from '../http/ports.ts'

/** Other mail catchers store a mail before they accept it. If ours takes longer than this, the client gets what there is. */
export const CAUGHT_UP_MS_MAX = 1_000

/** What the doors use of the API. */
export type DoorPorts = Pick<ApiPorts, 'store' | 'now' | 'messages' | 'keys' | 'inbound' | 'site' | 'observe'>

/** Finds out who sends a request, or throws why it is refused. */
export type Enter = (headers: Headers) => Promise<Principal>

export type DoorFetch = (request: Request, bindings?: object) => Response | Promise<Response>

/** A Hono application, as far as it is used. */
export type DoorRoutes = { fetch: DoorFetch; routes: { method: string; path: string }[] }

/** The API of another mail catcher, on top of our store. */
export type Peer = {
  /** Its routes, at the root. */
  serve(enter: Enter): DoorRoutes
  /** The path of its WebSocket, and what takes over the connections to it. Null if it has none. */
  events: { path: string; connect(enter: Enter): Upgrades['take'] } | null
  /** Call after messages were deleted. */
  deleted(teamId: string, ids: string[]): void
  close(): void
}
