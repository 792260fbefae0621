import type { HonoRequest } from 'hono'
import type { Principal } from '../../domain/access.ts'
import { parseMailboxQuery, type MailboxQueryPorts } from '../mailbox-query.ts'
import { readBody } from '../body.ts'
import { parseQuery, searchParams } from '../query.ts'
import type { RequestBody, Route } from './route.ts'

/** Parses the request with the schemas of the route. Throws 400, 413 or 415. */
export async function readInput(
  ports: MailboxQueryPorts,
  route: Route,
  principal: Principal | null,
  request: HonoRequest,
) {
  const search = searchParams(request.url)
  return {
    search,
    query: route.query && (await readQuery(ports, route.query, principal, search)),
    headers: mapValues(route.headers, (name, { read }) => read(request.header(name))),
    body: route.body && (await readBodyAs(route.body, request.raw)),
  }
}

/** Parses the parameters in the path. Throws 404 if one is not valid. */
export function readParams({ params }: Route, request: HonoRequest): Record<string, unknown> {
  // The pattern of the route contains every parameter of its path.
  return mapValues(params, (name, { read }) => read(request.param(name)!))
}

/** A query with a mailbox needs a lookup, because every existing name is accepted. */
function readQuery(
  ports: MailboxQueryPorts,
  query: NonNullable<Route['query']>,
  principal: Principal | null,
  search: URLSearchParams,
) {
  const namesMailbox = principal !== null && 'mailbox' in query.shape
  return namesMailbox ? parseMailboxQuery(ports, principal, search, query) : parseQuery(query, search)
}

function readBodyAs(body: RequestBody, request: Request): Promise<unknown> {
  return 'read' in body ? body.read(request) : readBody(request, body)
}

const NOTHING: Record<string, never> = {}

function mapValues<From>(given: Record<string, From> | undefined, read: (name: string, value: From) => unknown) {
  if (given === undefined) return NOTHING
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, read(name, value)]))
}
