import { expect, test, vi } from 'vitest'
import { fold, lowerAscii } from '../domain/fold.ts'
import { matches, type Matchable, type MessageFilter, type Needle } from '../domain/match.ts'
import type { SearchWords } from '../domain/search-words.ts'
import type { Database } from './database.ts'
import { sql } from './sql.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'
import type { ListAnchor } from './messages.ts'
import type { Store } from './store.ts'

const MESSAGES = 160
/** More of them are in test/random-filters.long.test.ts. */
const FILTERS = 50

// Strings in which databases and JavaScript could disagree: composed and combining accents, letters with special case
// mappings, wide and CJK characters, wildcards, quotes, pieces too short for a trigram, and long runs of marks.
const PIECES = [
  'é', 'e\u0301', 'ß', 'ẞ', 'SS', 'İ', 'i', 'ı', 'I', 'Σ', 'ς', 'ﬁ', 'fi', '漢字', 'カ', 'ｶﾞ', 'ガ', '😀', 'a', 'B', 'abc',
  'Code 123', '%', '_', '\\', '\\%', "'", '"', '*', ' and ', '-', '+', '@', ' ', '\n', '\t', '\u00a0', 'qa', 'NEAR(', '{', ']',
  'ﷺ', '\u0301\u0316', 'e' + '\u0301\u0316'.repeat(20), '\u3160'.repeat(40),
] // prettier-ignore

/** A repeatable random generator (mulberry32), so that failures can be reproduced. */
function drawer(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** `whenIndexed` resolves when the database has finished its delayed indexing. */
export function describeMatching(open: () => Promise<Store>, whenIndexed: (store: Store) => Promise<void>): void {
  testMatching('just arrived', open, async () => {})
  testMatching('indexed', open, whenIndexed)
}

/** Resolves when every complete block of messages is in the text index. */
export async function whenIndexed({ read }: Database, blockSize: number): Promise<void> {
  const left = sql`
    select count(*) as count from team_state
    where last_position + 1 - (last_position + 1) % ${blockSize} > indexed_through + 1`
  await vi.waitFor(async () => expect(await read(left)).toMatchObject([{ count: 0 }]))
}

/** `settle` brings the store into a certain state between the arrival of the messages and the queries. */
export function testMatching(
  state: string,
  open: () => Promise<Store>,
  settle: (store: Store, teamId: string) => Promise<void>,
  { filters = FILTERS, seed = 20260501 } = {},
): void {
  test(`the database and domain/match agree on ${MESSAGES * filters} random pairs, ${state}`, async () => {
    const draw = drawer(seed)
    const text = (most: number) => Array.from({ length: draw(most + 1) }, () => PIECES[draw(PIECES.length)]!).join('')
    const pick = <Item>(items: Item[]): Item => items[draw(items.length)]!
    const start = Date.parse('2026-05-01T00:00:00Z')
    const hours = () => start + draw(240) * 3_600_000

    const store = await open()
    const team = await addTeam(store)
    const mailboxes = [await addMailbox(store, team, 'qa'), await addMailbox(store, team, 'büro')]
    const tags = [null, 'login', 'größe', 'a_b', '100%']
    const withCode = new Set<string>()
    const added: Promise<unknown>[] = []
    for (let count = 0; count < MESSAGES; count++) {
      const mailbox = pick(mailboxes)
      const message = messageFor(mailbox, {
        tag: pick(tags),
        subject: text(6),
        from: `${text(3)}@shop.example`,
        to: `${text(3)}@${team.domain}`,
        text: text(12),
        domain: pick([team.domain!, 'other.test']),
        headers: [{ name: pick(['X-Test', 'x-test', 'X-Täst']), value: text(2) }],
        receivedAt: hours(),
        size: pick([null, 0, 900, 40_000]),
        attachments: draw(3) === 0 ? [ATTACHMENT] : [],
        codes: draw(3) === 0 ? [{ value: '482913', confidence: 0.9, context: '' }] : [],
      })
      if (message.codes.length > 0) withCode.add(message.id)
      added.push(store.addMessage(mailbox, message))
    }
    await Promise.all(added)
    // Some are deleted before the others are indexed, some after.
    const removeSome = () =>
      store.removeMessages(
        team.id,
        Array.from({ length: MESSAGES / 16 }, () => 1 + draw(MESSAGES)),
        start,
      )
    const removed = await removeSome()
    await settle(store, team.id)
    removed.push(...(await removeSome()))
    const messages = await store.passingMessages(team.id, { after: 0, limit: MESSAGES, withContent: true })
    expect(messages).toHaveLength(MESSAGES - removed.length)
    // The first half is read, except for some; of the rest, some are read.
    await store.markAllRead(team.id, MESSAGES / 2)
    for (const isRead of [true, false]) {
      const some = messages.filter(() => draw(5) === 0).map(({ position }) => position)
      await store.markMessages(team.id, some, isRead)
    }
    const positions = messages.map(({ position }) => position)
    const read = new Set(await store.readAmong(team.id, positions))
    expect(new Set(positions.map((position) => read.has(position)))).toEqual(new Set([true, false]))

    const needle = (): Needle => {
      const { subjectFolded, fromFolded, toFolded, bodyFolded } = pick(messages)
      const start = draw(10)
      // Often a substring of existing text of any length, so that there is something to find.
      const piece = pick([subjectFolded, fromFolded, toFolded, bodyFolded])
        .slice(start, start + 1 + draw(9))
        .toWellFormed()
      const reading = draw(2) === 0 ? piece || 'a' : fold(draw(3) === 0 ? pick(PIECES) : text(3)) || 'a'
      return draw(4) === 0 ? [reading, fold(pick(PIECES))] : [reading]
    }
    const makers: { [name in keyof MessageFilter]-?: () => MessageFilter[name] } = {
      mailboxId: () => pick(mailboxes).id,
      mailbox: () => ({
        name: pick(['qa', 'büro', 'nobody']),
        tag: pick(tags),
        domain: pick([null, team.domain, 'other.test']),
      }),
      tag: () => pick(['login', 'größe', 'a_b', 'axb', '100%']),
      tags: () => [pick(['login', '100%']), pick(['größe', 'none'])],
      to: needle,
      from: needle,
      subject: needle,
      text: needle,
      q: needle,
      header: () => ({ name: lowerAscii(pick(['X-TEST', 'x-täst', 'X-TÄST'])), value: text(2) }),
      start: hours,
      end: hours,
      since: hours,
    }
    const names = Object.keys(makers) as (keyof MessageFilter)[]
    const randomFilter = (likely: number) => {
      const chosen = names.filter(() => draw(names.length) < likely)
      // Each function returns the type of its own name.
      return Object.fromEntries(chosen.map((name) => [name, makers[name]()])) as MessageFilter
    }
    const randomWords = (): SearchWords => ({
      ...(draw(4) === 0 && { hasAttachment: true }),
      ...(draw(4) === 0 && { hasCode: true }),
      ...(draw(4) === 0 && { isUnread: true }),
      ...(draw(4) === 0 && { largerThan: pick([0, 899, 900, 50_000]) }),
      ...(draw(4) === 0 && { smallerThan: pick([1, 900, 50_000]) }),
    })
    const randomExclusions = () =>
      Array.from({ length: draw(3) }, () => ({ filter: randomFilter(1), words: randomWords() })).filter(
        (excluded) => Object.keys({ ...excluded.filter, ...excluded.words }).length > 0,
      )
    const holds = (words: SearchWords, message: Searched): boolean =>
      (!words.hasAttachment || message.attachmentCount > 0) &&
      (!words.hasCode || withCode.has(message.id)) &&
      (!words.isUnread || !read.has(message.position)) &&
      (message.size ?? 0) > (words.largerThan ?? -1) &&
      (message.size ?? 0) < (words.smallerThan ?? Infinity) &&
      !words.without?.some((excluded) => matches(excluded.filter, message) && holds(excluded.words, message))

    let found = 0
    for (let count = 0; count < filters; count++) {
      const filter = randomFilter(2)
      const words = draw(3) === 0 ? { ...randomWords(), without: randomExclusions() } : {}
      const view = { teamId: team.id, oldestReceivedAt: pick([0, 0, hours()]), filter, words }
      const matching = messages.filter(
        (message) => message.receivedAt >= view.oldestReceivedAt && matches(filter, message) && holds(words, message),
      )
      const listed = matching.toSorted(newestFirst)
      const why = JSON.stringify(view)
      expect(ids(await store.listMessages(view, { limit: MESSAGES, before: null })), why).toEqual(ids(listed))

      const limit = draw(8)
      const before = pick(messages)
      const below = listed.filter((message) => newestFirst(before, message) < 0).slice(0, limit + 1)
      expect(ids(await store.listMessages(view, { limit, before })), `${why} below ${before.id}`).toEqual(ids(below))

      const [after, upTo] = [draw(MESSAGES), draw(MESSAGES + 1)]
      const range = { after, upTo, limit }
      const passed = matching.filter(({ position }) => position > after && position <= upTo).slice(0, limit + 1)
      expect(ids(await store.followMessages(view, range)), `${why} ${JSON.stringify(range)}`).toEqual(ids(passed))

      const latest = listed.find(({ position }) => position > after)
      expect((await store.latestMessage(view, after))?.id, `${why} after ${after}`).toBe(latest?.id)
      expect((await store.latestMessage(view, null))?.id, why).toBe(listed[0]?.id)
      found += matching.length
    }
    // The random draw must not be all misses or all hits.
    expect(found).toBeGreaterThan(MESSAGES * FILTERS * 0.02)
    expect(found).toBeLessThan(MESSAGES * FILTERS * 0.5)
  })
}

type Searched = Matchable & { id: string; position: number; attachmentCount: number; size: number | null }

const ATTACHMENT = { index: 0, filename: 'a.txt', contentType: 'text/plain', size: 9, contentId: null, inline: false }

function ids(messages: { id: string }[]): string[] {
  return messages.map(({ id }) => id)
}

function newestFirst(a: ListAnchor, b: ListAnchor): number {
  return b.receivedAt - a.receivedAt || b.position - a.position
}
