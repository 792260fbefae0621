import type { ApiPorts } from '../ports.ts'
import type { ViewTokens } from '../view-token.ts'

/** What the procedures need. */
export type RpcPorts = Omit<ApiPorts, 'accounts'> & {
  views: Pick<ViewTokens, 'make'>
}
