import type { z } from 'zod'
import type { Principal } from '../domain/access.ts'
import type { Store } from '../store/store.ts'
import { parseMailbox } from './message-params.ts'
import { parseQuery } from './query.ts'

export type AskingPorts = { store: Pick<Store, 'findTeamMailbox'> }

/** Stands in the query for a name that was found, so that the rest of the query is judged as always. */
const FOUND = 'found'

type Asker = Pick<Principal, 'team' | 'mailbox'>

/** What a query asks for, in which a mailbox that exists may be named whatever its characters. */
export async function readAsked<Schema extends z.ZodObject>(
  { store }: AskingPorts,
  { team, mailbox: bound }: Asker,
  query: URLSearchParams,
  schema: Schema,
): Promise<z.output<Schema>> {
  const [asked, ...more] = query.getAll('mailbox').filter((value) => value !== '')
  if (asked === undefined || more.length > 0 || isPlain(asked)) return parseQuery(schema, query)
  for (const { name, domain } of readingsOf(asked)) {
    const found =
      bound === null ? await store.findTeamMailbox({ teamId: team.id, name }) : bound.name === name ? bound : null
    if (!found) continue
    const plain = new URLSearchParams(query)
    plain.set('mailbox', FOUND)
    return { ...parseQuery(schema, plain), mailbox: { name, tag: null, domain } }
  }
  return parseQuery(schema, query)
}

/** Read in one way only, so that no look into the store is needed; a space may be a plus sign. */
function isPlain(asked: string): boolean {
  return !asked.trim().includes(' ') && parseMailbox(asked) !== null
}

/** The whole as a name, or what stands before the last `@`. */
function readingsOf(asked: string): { name: string; domain: string | null }[] {
  const text = asked.trim().toLowerCase()
  const at = text.lastIndexOf('@')
  return [{ name: text, domain: null }, ...(at > 0 ? [{ name: text.slice(0, at), domain: text.slice(at + 1) }] : [])]
}
