import type { z } from 'zod'
import type { SignedIn } from '../../store/accounts.ts'
import { parseMailboxQuery } from '../mailbox-query.ts'
import { parseQuery } from '../query.ts'
import type { RpcPorts } from './ports.ts'

/** Parses filters as the REST API does. Without a team there is no lookup: the check of the role fails afterwards. */
export async function readQuery<Query extends z.ZodObject>(
  ports: Pick<RpcPorts, 'store'>,
  { signedIn: { team } }: { signedIn: SignedIn },
  search: URLSearchParams,
  query: Query,
): Promise<z.output<Query>> {
  return team ? parseMailboxQuery(ports, { team, mailbox: null }, search, query) : parseQuery(query, search)
}
