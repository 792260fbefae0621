import type { Principal } from '../domain/access.ts'
import type { MessageFilter } from '../domain/match.ts'
import type { Store } from '../store/store.ts'
import { searchParams } from './message-params.ts'

export type AskingPorts = { store: Pick<Store, 'findTeamMailbox'> }

/** Names that need no look into the store: what people choose, with a tag or a domain. */
const PLAIN = /^[\w.+-]+(?:@[\w.-]+)?$/
/** Stands in the query for a name that was found, so that the rest of the query is judged as always. */
const FOUND = 'found'

/** The query of a request, in which a mailbox that exists may be asked for whatever its characters. */
export async function askedOf(
  { store }: AskingPorts,
  { team, mailbox: bound }: Principal,
  url: string,
): Promise<{ query: URLSearchParams; withMailbox: (filter: MessageFilter) => MessageFilter }> {
  const query = searchParams(url)
  const [asked = '', ...more] = query.getAll('mailbox')
  const asIs = { query, withMailbox: (filter: MessageFilter) => filter }
  if (asked === '' || more.length > 0 || PLAIN.test(asked)) return asIs
  for (const { name, domain } of readingsOf(asked)) {
    const found =
      bound === null ? await store.findTeamMailbox({ teamId: team.id, name }) : bound.name === name ? bound : null
    if (!found) continue
    query.set('mailbox', FOUND)
    return { query, withMailbox: (filter) => ({ ...filter, mailbox: { name, tag: null, domain } }) }
  }
  return asIs
}

/** The whole as a name, or what stands before the last `@`. */
function readingsOf(asked: string): { name: string; domain: string | null }[] {
  const text = asked.replaceAll('\0', '').trim().toLowerCase()
  const at = text.lastIndexOf('@')
  return [{ name: text, domain: null }, ...(at > 0 ? [{ name: text.slice(0, at), domain: text.slice(at + 1) }] : [])]
}
