import { AppError } from '../../domain/errors.ts'
import { inGroups } from '../../domain/in-groups.ts'
import { mailIdOf } from '../../domain/mail-copies.ts'
import type { Downloads } from '../../http/downloads.ts'
import type { View } from '../../store/messages.ts'
import { viewFor, type PeerContext } from '../caller.ts'
import type { DoorPorts } from '../door.ts'
import type { CountMails } from '../mail-counts.ts'
import { findMail, areAny, type Copies, type WholeMail } from '../mails.ts'
import { fromShortId } from '../short-id.ts'
import type { Events } from './events.ts'
import { parseQuery } from './query.ts'
import type { MailpitSearch } from './search.ts'

const READ_AT_ONCE = 10

/** What the routes share. */
export type MailpitPorts = DoorPorts & {
  search: MailpitSearch
  counts: CountMails
  events: Events
  downloads: Downloads
}

/** The mail that a path names by its id, or by `latest` and a search in the query. Throws 404 if there is none. */
export async function mailFor(ports: MailpitPorts, context: PeerContext, given: string): Promise<WholeMail> {
  const view = viewFor(ports, context)
  const id = given === 'latest' ? await latestId(ports, context, view) : fromShortId(given)
  const mail = id === null ? null : await findMail(ports.store, view, id)
  if (!mail) throw new AppError('message_not_found', 'Message not found')
  return mail
}

/** The mails with these ids. Ids that do not exist are ignored. */
export async function findAllCopies(
  store: Pick<DoorPorts['store'], 'findCopies'>,
  view: View,
  ids: string[],
): Promise<Copies[]> {
  const mails = new Set(ids.map(fromShortId).flatMap((id) => (id === null ? [] : [mailIdOf(id)])))
  const found = await inGroups(Array.from(mails), READ_AT_ONCE, (id) => store.findCopies(view, id))
  return found.filter(areAny)
}

async function latestId({ store, search }: MailpitPorts, context: PeerContext, view: View): Promise<string | null> {
  const query = queryOf(context)
  if (query === null) return (await store.listMessages(view, { limit: 1, before: null }))[0]?.id ?? null
  return (await search.newest(view, query))?.copies[0].id ?? null
}

/** The search in the query of the URL. Null if there is none. */
export function queryOf(context: PeerContext): ReturnType<typeof parseQuery> | null {
  const query = (context.req.query('query') ?? '').trim()
  return query === '' ? null : parseQuery(query, context.req.query('tz') || null)
}
