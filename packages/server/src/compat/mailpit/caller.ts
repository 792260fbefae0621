import { AppError } from '../../domain/errors.ts'
import { inGroups } from '../../domain/in-groups.ts'
import type { Downloads } from '../../http/downloads.ts'
import type { StoredMessage, View } from '../../store/messages.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import { fromShortId } from '../short-id.ts'
import { listFrom } from '../walk.ts'
import type { Events } from './events.ts'
import { parseQuery } from './query.ts'
import type { MailpitSearch } from './search.ts'

const READ_AT_ONCE = 10

/** What the routes share. */
export type MailpitPorts = DoorPorts & {
  search: MailpitSearch
  events: Events
  downloads: Downloads
}

/** The message that a path names by its id, or by `latest` and a search in the query. Throws 404 if there is none. */
export async function messageFor(ports: MailpitPorts, context: PeerContext, given: string): Promise<StoredMessage> {
  const view = viewFor(ports, context)
  const id = given === 'latest' ? await latestId(ports, context, view) : fromShortId(given)
  const message = id === null ? null : await ports.store.findMessage(view, id)
  if (!message) throw new AppError('message_not_found', 'Message not found')
  return message
}

/** The messages with these ids. Ids that do not exist are ignored. */
export async function findAnchors(
  store: Pick<DoorPorts['store'], 'findAnchor'>,
  view: View,
  ids: string[],
): Promise<{ id: string; position: number }[]> {
  const known = ids.map(fromShortId).filter((id) => id !== null)
  const anchors = await inGroups(known, READ_AT_ONCE, (id) => store.findAnchor(view, id))
  return known.flatMap((id, index) => (anchors[index] ? [{ id, position: anchors[index].position }] : []))
}

async function latestId({ store, search }: MailpitPorts, context: PeerContext, view: View): Promise<string | null> {
  const query = queryOf(context)
  if (query === null) return (await listFrom(store, view, { start: 0, limit: 1 }))[0]?.id ?? null
  return (await search.newest(view, query))?.id ?? null
}

/** The search in the query of the URL. Null if there is none. */
export function queryOf(context: PeerContext): ReturnType<typeof parseQuery> | null {
  const query = (context.req.query('query') ?? '').trim()
  return query === '' ? null : parseQuery(query, context.req.query('tz') || null)
}
