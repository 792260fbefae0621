import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, vi } from 'vitest'
import { newId } from '../../src/random.ts'
import type { Mailbox, Team } from '../../src/store/mailboxes.ts'
import type { NewMessage } from '../../src/store/messages.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { messageFor } from '../../src/store/store-contract.ts'
import { BLOCK_SIZE, readIndexState } from '../../src/store/text-block.ts'
import { openWindow } from '../support/dashboard-session.ts'
import { buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'

/** Written in one commit. */
const GROUP = 1_000
/** The search index is written after the messages, within seconds. */
const INDEXED_MS_MAX = 60_000
/** Tags in rotation; few enough for each to fill a page. */
export const TAGS = 4

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const browser = await openChromium()
const database = openSqliteDatabase(join(server.dataDir, 'mailhatch.db'))
const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
afterAll(() => store.close())

type Owner = Awaited<ReturnType<typeof people.newTeam>>['owner']

/** The owner of a new team with this many messages. */
export async function ownerOfOrders(count: number): Promise<Owner> {
  const { team, owner } = await people.newTeam('enterprise', `Orders ${count}`)
  await fill(team, count)
  return owner
}

/** Written directly to the store; through the API it would take minutes. */
async function fill(team: Team, count: number): Promise<void> {
  const at = Date.now()
  const given = { id: newId(at), teamId: team.id, name: 'orders', domain: 'in.example' }
  const mailbox = await store.addMailbox({ ...given, createdAt: at, updatedAt: at }, null)
  if (typeof mailbox === 'string') return expect.unreachable(mailbox)
  for (let start = 0; start < count; start += GROUP) {
    const numbers = Array.from({ length: Math.min(GROUP, count - start) }, (_, offset) => start + offset)
    await Promise.all(
      numbers.map((number) => store.addMessage(mailbox, messageOf(mailbox, number, at - count + number))),
    )
  }
  const isIndexed = async () => {
    const { lastPosition, indexedThrough } = (await readIndexState(database, team.id))!
    return lastPosition - indexedThrough < BLOCK_SIZE
  }
  await vi.waitUntil(isIndexed, INDEXED_MS_MAX)
}

function messageOf(mailbox: Mailbox, number: number, receivedAt: number): NewMessage {
  return messageFor(mailbox, {
    id: newId(receivedAt),
    receivedAt,
    storedAt: receivedAt,
    tag: `suite-${number % TAGS}`,
    from: `shop-${number % 7}@shop.example`,
    subject: `Order ${name(number)} is on its way`,
    text: `Thank you for order ${name(number)}.\nYour voucher is v${name(number)}v, good for a year.`,
  })
}

/** The same length for all numbers, so that none is a part of another. */
export function name(number: number): string {
  return String(100_000 + number)
}

export async function openInboxPage({ headers }: Pick<Owner, 'headers'>): Promise<Page> {
  const viewport = { width: 1280, height: 900 }
  const { page } = await openWindow(browser, { url: server.url, headers, viewport })
  await page.goto('/')
  await untilListed(page)
  return page
}

export async function untilListed(page: Page): Promise<void> {
  await rowOf(page, /Order/).first().waitFor()
}

export function rowOf(page: Page, subject: string | RegExp) {
  return page.getByRole('list', { name: 'Messages' }).getByRole('link', { name: subject })
}
