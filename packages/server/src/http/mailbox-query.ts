import type { z } from 'zod'
import type { Principal } from '../domain/access.ts'
import type { Store } from '../store/store.ts'
import { parseMailbox } from './message-params.ts'
import { parseQuery } from './query.ts'

export type MailboxQueryPorts = { store: Pick<Store, 'findTeamMailbox'> }

/** Replaces a name that exists, so that the rest of the query is validated as usual. */
const FOUND = 'found'

type Caller = Pick<Principal, 'team' | 'mailbox'>

/** Parses the query. A mailbox that exists is accepted even if its name has characters that are not valid otherwise. */
export async function parseMailboxQuery<Schema extends z.ZodObject>(
  { store }: MailboxQueryPorts,
  { team, mailbox: bound }: Caller,
  query: URLSearchParams,
  schema: Schema,
): Promise<z.output<Schema>> {
  const [asked, ...more] = query.getAll('mailbox').filter((value) => value !== '')
  if (asked === undefined || more.length > 0 || isPlain(asked)) return parseQuery(schema, query)
  for (const { name, domain } of interpretationsOf(asked)) {
    const found =
      bound === null ? await store.findTeamMailbox({ teamId: team.id, name }) : bound.name === name ? bound : null
    if (!found) continue
    const plain = new URLSearchParams(query)
    plain.set('mailbox', FOUND)
    return { ...parseQuery(schema, plain), mailbox: { name, tag: null, domain } }
  }
  return parseQuery(schema, query)
}

/** True if there is one interpretation only, so that no lookup is needed. A space may be an unescaped plus sign. */
function isPlain(asked: string): boolean {
  return !asked.trim().includes(' ') && parseMailbox(asked) !== null
}

/** The whole text as a name, or the part before the last `@`. */
function interpretationsOf(asked: string): { name: string; domain: string | null }[] {
  const text = asked.trim().toLowerCase()
  const at = text.lastIndexOf('@')
  return [{ name: text, domain: null }, ...(at > 0 ? [{ name: text.slice(0, at), domain: text.slice(at + 1) }] : [])]
}
