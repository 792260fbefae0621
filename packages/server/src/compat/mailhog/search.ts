import { inGroups } from '../../domain/in-groups.ts'
import { findHeader } from '../../mime/headers.ts'
import type { Contents } from '../../read/content.ts'
import type { StoredMessage, StoredSummary, View } from '../../store/messages.ts'
import type { Store } from '../../store/store.ts'
import { createFactsReader } from '../facts-reader.ts'
import { createTurns, SEARCH_TURNS } from '../turns.ts'
import type { Copies } from '../mails.ts'
import { newestMailsFirst } from '../walk.ts'
import { readMail } from './read-mail.ts'

/** Mails of a page that are read at the same time. */
const READ_AT_ONCE = 10

const KINDS = ['from', 'to', 'containing'] as const
export type SearchKind = (typeof KINDS)[number]

export function isSearchKind(text: string): text is SearchKind {
  return (KINDS as readonly string[]).includes(text)
}

/** All matches among the newest messages, newest first. */
export type MailhogSearch = (view: View, kind: SearchKind, query: string) => Promise<Copies[]>

type Ports = { store: Pick<Store, 'listMessages' | 'findMessage'>; contents: Pick<Contents, 'raw'> }

export function createSearch({ store, contents }: Ports): MailhogSearch {
  const inTurn = createTurns(SEARCH_TURNS)
  const addressesOf = createFactsReader(store, addressTexts)

  async function isMatch(view: View, copies: Copies<StoredSummary>, kind: SearchKind, query: string): Promise<boolean> {
    if (kind !== 'containing') {
      for (const copy of copies) if ((await addressesOf(view, copy))?.[kind].includes(query)) return true
      return false
    }
    const message = await store.findMessage(view, copies[0].id)
    if (message === null) return false
    const content = contentText(message)
    if (content.includes(query)) return true
    const decoded = decodeQuotedPrintable(query)
    if (decoded === query || !content.includes(decoded)) return false
    return (await readMail({ contents }, message)).toLowerCase().includes(query)
  }

  return (view, kind, given) => {
    const search = async () => {
      const query = given.toLowerCase()
      const found: Copies[] = []
      for await (const page of newestMailsFirst(store, view)) {
        const matches = await inGroups(page, READ_AT_ONCE, (one) => isMatch(view, one, kind, query))
        found.push(...page.filter((_, index) => matches[index]))
      }
      return found
    }
    return inTurn(view.teamId, search, view.proceed)
  }
}

function addressTexts({ envelope, from, to, headers }: StoredMessage): { from: string; to: string } {
  const text = (address: string, name: string) => `${address}\n${findHeader(headers, name)?.value ?? ''}`.toLowerCase()
  return { from: text(envelope?.mailFrom ?? from, 'from'), to: text(envelope?.rcptTo ?? to, 'to') }
}

/** The decoded headers, text and HTML, and the names of files. */
function contentText({ headers, text, html, attachments }: StoredMessage): string {
  const values = headers.map(({ value }) => value)
  const files = attachments.map(({ filename, contentType }) => `${contentType} ${filename ?? ''}`)
  return [...values, text ?? '', html ?? '', ...files].join('\n').toLowerCase()
}

/**
 * MailHog searches the encoded mail, and its clients encode what they look for: `=c3=bc` for `ü`. The decoded text has that
 * too, so only few mails are read.
 */
function decodeQuotedPrintable(query: string): string {
  const decoded = query.replaceAll(/=\r?\n/g, '').replaceAll(/(?:=[\da-f]{2})+/g, (bytes) => {
    return Buffer.from(bytes.replaceAll('=', ''), 'hex').toString()
  })
  return decoded.toLowerCase()
}
