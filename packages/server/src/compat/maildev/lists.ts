import type { View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { findMailOf, shownId, type WholeMail } from '../mails.ts'
import { createTurns } from '../turns.ts'
import { slicesOf } from '../walk.ts'
import { createAddresses, type EmailAddress } from './facts.ts'
import { matchesFilter, type Filter } from './filter.ts'
import { textOf } from './present.ts'
import { createSearch, type FoundEmail, type EmailOrder } from './search.ts'
import type { Version } from './version.ts'

/** Emails in a list, which has them whole. */
export const LIST_MAX = 1_000
/** Characters of a list. Lists of larger emails are shorter, but have at least one. */
const LIST_CHARACTERS_MAX = 16 * 1024 * 1024
/** Lists that are written at once, one of each team. */
const WRITING_TURNS = {
  atOnceMax: 2,
  waitingMax: 200,
  waitingPerKeyMax: 50,
  busy: 'Too many lists are waiting to be written. Retry.',
}
const READ_AT_ONCE = 10

/** What filters find without reading the whole message. */
const KNOWN = new Set(['id', 'read', 'subject', 'from', 'to', 'cc'])

export type Lists = {
  /** The newest emails that match, at most `max`. */
  filtered(
    view: View,
    version: Version,
    filters: Filter[],
    options: { max: number; order: EmailOrder },
  ): Promise<FoundEmail[]>
  /** Those with the words in their subject, addresses or text. */
  containing(view: View, words: string, options: { unreadOnly: boolean; order: EmailOrder }): Promise<FoundEmail[]>
  /** As JSON. Where a limit leaves some out, those are left out that come first, or last if the newest is first. */
  write(view: View, found: FoundEmail[], writing: Writing): Promise<string>
}

type Writing = {
  present(mail: WholeMail, state: { isRead: boolean }): unknown
  isNewestFirst: boolean
}

type Whole = { mail: WholeMail; state: FoundEmail }

export function createLists(store: Pick<Store, 'listMessages' | 'findMessage' | 'readAmong'>): Lists {
  const search = createSearch(store)
  const addressesOf = createAddresses(store)
  const inTurn = createTurns(WRITING_TURNS)

  async function isMatching(view: View, version: Version, filters: Filter[], email: FoundEmail): Promise<boolean> {
    const matches = (given: object, some: Filter[]) => some.every((one) => matchesFilter(given, one, version.isSame))
    const { known = [], others = [] } = Object.groupBy(filters, ({ path }) =>
      KNOWN.has(path[0]!) ? 'known' : 'others',
    )
    if (known.length > 0) {
      const { copies, isRead: read } = email
      const addresses = await addressesOf(view, copies[0])
      const { id, subject } = copies[0]
      if (!addresses || !matches({ ...addresses, id: shownId(id), subject, read }, known)) return false
    }
    if (others.length === 0) return true
    const whole = await findMailOf(store, view, email.copies)
    return whole !== null && matches(version.present(whole, email), others)
  }

  /** One that was deleted meanwhile is left out. */
  async function* wholeOf(view: View, found: FoundEmail[]): AsyncGenerator<Whole> {
    for (const group of slicesOf(found, READ_AT_ONCE)) {
      view.proceed?.()
      const mails = await Promise.all(group.map(({ copies }) => findMailOf(store, view, copies)))
      for (const [index, mail] of mails.entries()) if (mail) yield { mail, state: group[index]! }
    }
  }

  async function isContaining(view: View, needle: string, { copies: [first] }: FoundEmail): Promise<boolean> {
    if (has(first.subject, needle)) return true
    const addresses = await addressesOf(view, first)
    if (!addresses) return false
    const { from, to, cc } = addresses
    if ([from, to, cc].flat().some((one: EmailAddress) => has(one.address, needle) || has(one.name, needle)))
      return true
    const whole = await store.findMessage(view, first.id)
    return whole !== null && has(textOf(whole), needle)
  }

  async function write(view: View, found: FoundEmail[], { present, isNewestFirst }: Writing): Promise<string> {
    const written: string[] = []
    let length = 0
    const newestFirst = isNewestFirst ? found : found.toReversed()
    for await (const { mail, state } of wholeOf(view, newestFirst.slice(0, LIST_MAX))) {
      const email = JSON.stringify(present(mail, state))
      length += email.length
      if (length > LIST_CHARACTERS_MAX && written.length > 0) break
      written.push(email)
    }
    return `[${(isNewestFirst ? written : written.reverse()).join(',')}]`
  }

  return {
    filtered: (view, version, filters, options) =>
      search(view, (one) => isMatching(view, version, filters, one), options),
    containing(view, words, { unreadOnly, order }) {
      const needle = words.trim().toLowerCase()
      const isMatch = async (one: FoundEmail) => {
        if (unreadOnly && one.isRead) return false
        return needle === '' || isContaining(view, needle, one)
      }
      return search(view, isMatch, { max: Infinity, order })
    },
    write: (view, found, writing) => inTurn(view.teamId, () => write(view, found, writing), view.proceed),
  }
}

function has(text: string, needle: string): boolean {
  return text.toLowerCase().includes(needle)
}
