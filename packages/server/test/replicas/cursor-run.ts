import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { MessageSummary } from '@mailhatch/sdk'
import { parseCursor } from '../../src/domain/cursor.ts'
import { openEvents } from '../support/event-stream.ts'
import { administer } from '../support/postgres.ts'
import { DOMAIN, type Replicas } from './replicas.ts'

const WRITERS = 8
/** Long enough for writers to meet in every order. */
const PAUSE_MS_MAX = 5
/** The time a client spends on a page before it requests the next one. */
const PAGE_MS_MAX = 100
/** One tag in this many is requested as `latest`. */
const TAGS_ASKED_ONE_IN = 10
/** How long followers look for the last message after it was stored. */
const PATIENCE_MS = 60_000

type Sent = { id: string; tag: string; words: string }
type Filter = { query: string; word: string }

/** With and without a body filter, because replicas read these separately. */
const FILTERS: Filter[] = [
  { query: '', word: '' },
  { query: 'subject=even', word: 'even' },
  { query: 'text=odd', word: 'odd' },
]

export type CursorReport = {
  messages: number
  followers: number
  /** Messages that a follower should have seen and did not, by follower. */
  missed: string[]
  /** Messages that a follower saw twice or should not have seen. */
  surplus: string[]
  /** Followers that saw the right messages in the wrong order. */
  disordered: string[]
}

/** Writers and followers on all replicas. Compares what each follower saw with the stored messages. */
export async function followEverywhere(
  replicas: Replicas,
  { messages, followers, patienceMs = PATIENCE_MS }: { messages: number; followers: number; patienceMs?: number },
): Promise<CursorReport> {
  const { urls } = replicas
  const sent = Array.from({ length: messages }, (_, number) => messageNumber(number))
  const last = { id: randomUUID(), tag: 'last', words: 'even odd last' }
  const patience = { endsAt: Infinity }
  const following = Array.from({ length: followers }, (_, number) => {
    const url = urls[number % urls.length]!
    const filter = FILTERS[Math.floor(number / 3) % FILTERS.length]!
    const kind = (['list', 'stream', 'latest'] as const)[number % 3]!
    const wanted = kind === 'latest' ? latestShare(sent, number, followers) : sent
    return {
      kind,
      name: `${kind} ${filter.query}`,
      filter,
      wanted,
      seen: follow(kind, replicas, url, { filter, wanted, patience }),
    }
  })
  await writeAll(replicas, sent)
  await replicas.announce(urls[0]!, announced(last))
  patience.endsAt = performance.now() + patienceMs
  const order = await readAll(replicas, urls[0]!)

  const report: CursorReport = { messages, followers, missed: [], surplus: [], disordered: [] }
  for (const { kind, name, filter, wanted, seen } of following) {
    const ids = (await seen).filter((id) => id !== last.id)
    const due = new Set(
      wanted.filter(({ words }) => words.includes(filter.word) || kind === 'latest').map(({ id }) => id),
    )
    const inOrder = order.filter((id) => due.has(id))
    const counts = Map.groupBy(ids, (id) => id)
    report.missed.push(...[...due].filter((id) => !counts.has(id)).map((id) => `${name} ${id}`))
    report.surplus.push(
      ...[...counts].filter(([id, times]) => !due.has(id) || times.length > 1).map(([id]) => `${name} ${id}`),
    )
    if (kind !== 'latest' && ids.join() !== inOrder.join()) report.disordered.push(name)
  }
  return report
}

function messageNumber(number: number): Sent {
  return { id: randomUUID(), tag: `t${number}`, words: `${number % 2 === 0 ? 'even' : 'odd'} ${number}` }
}

function announced({ id, tag, words }: Sent) {
  return { id, tag, mailbox: 'qa', subject: words, plainContent: words, rawContent: '' }
}

/** Each client that requests the latest message of a tag has its own tags, one after another. */
function latestShare(sent: Sent[], number: number, followers: number): Sent[] {
  const askers = Math.max(1, Math.floor(followers / 3))
  const asked = sent.filter((_, index) => index % TAGS_ASKED_ONE_IN === 0)
  return asked.filter((_, index) => index % askers === Math.floor(number / 3) % askers)
}

async function writeAll({ urls, announce }: Replicas, sent: Sent[]): Promise<void> {
  const left = sent.toReversed()
  const write = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { status, body } = await announce(urls[randomInt(urls.length)]!, announced(next))
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      await delay(randomInt(PAUSE_MS_MAX))
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, write))
}

type Errand = { filter: Filter; wanted: Sent[]; patience: { endsAt: number } }

/** Resolves to the ids in the order in which they appeared. */
function follow(
  kind: 'list' | 'stream' | 'latest',
  replicas: Replicas,
  url: string,
  errand: Errand,
): Promise<string[]> {
  if (kind === 'list') return followList(replicas, url, errand)
  if (kind === 'stream') return followStream(replicas, url, errand)
  return askForLatest(replicas, url, errand)
}

async function followList({ get }: Replicas, url: string, { filter: { query }, patience }: Errand): Promise<string[]> {
  const seen: MessageSummary[] = []
  let after = 'c0'
  while (seen.at(-1)?.tag !== 'last' && performance.now() < patience.endsAt) {
    const { status, body } = await get(url, `/v1/messages?${query}&after=${after}&wait=5&limit=200`)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    // As in the API's document, which other tests check.
    const page = body as unknown as { data: MessageSummary[]; cursor: string }
    // The list is newest first; the order of visibility counts here.
    seen.push(...page.data.toSorted((a, b) => parseCursor(a.cursor)! - parseCursor(b.cursor)!))
    after = page.cursor
    await delay(randomInt(PAGE_MS_MAX))
  }
  return seen.map(({ id }) => id)
}

async function followStream(
  { key }: Replicas,
  url: string,
  { filter: { query }, patience }: Errand,
): Promise<string[]> {
  const stream = await openEvents(`${url}/v1/messages/stream?${query}&after=c0`, { key })
  while (stream.messages.at(-1)?.tag !== 'last' && performance.now() < patience.endsAt) await delay(20)
  stream.destroy()
  return stream.messages.map(({ id }) => id)
}

async function askForLatest({ get }: Replicas, url: string, { wanted, patience }: Errand): Promise<string[]> {
  const seen: string[] = []
  for (const { tag } of wanted) {
    for (let isFound = false; !isFound && performance.now() < patience.endsAt;) {
      const { status, body } = await get(url, `/v1/messages/latest?tag=${tag}&after=c0&wait=5`)
      isFound = status === 200
      if (isFound) seen.push((body as unknown as { data: MessageSummary }).data.id)
      else if (status !== 404) throw new Error(`${status} ${JSON.stringify(body)}`)
    }
  }
  return seen
}

/** All stored messages by position, read after the last write. */
async function readAll({ get }: Replicas, url: string): Promise<string[]> {
  const all: MessageSummary[] = []
  for (let after = 'c0', hasMore = true; hasMore;) {
    const { body } = await get(url, `/v1/messages?after=${after}&limit=200&mailbox=qa@${DOMAIN}`)
    const page = body as unknown as { data: MessageSummary[]; cursor: string; has_more: boolean }
    all.push(...page.data.toSorted((a, b) => parseCursor(a.cursor)! - parseCursor(b.cursor)!))
    after = page.cursor
    hasMore = page.has_more
  }
  return all.map(({ id }) => id)
}

const RARELY = { share: 0.1, secondsMax: 0.01 }

/** From now on some commits take longer than others, as on a busy machine. */
export async function delayCommits(databaseUrl: string, { share, secondsMax } = RARELY): Promise<void> {
  await administer(
    databaseUrl,
    `create function delay_commit() returns trigger language plpgsql as $$
     begin
       if random() < ${share} then perform pg_sleep(random() * ${secondsMax}); end if;
       return null;
     end $$`,
  )
  await administer(
    databaseUrl,
    `create constraint trigger delay_commit after insert on messages deferrable initially deferred
     for each row execute function delay_commit()`,
  )
}

/**
 * From now on writers do not wait for each other, and positions are as an identity column would assign them: at the insert,
 * independent of the order of commits.
 */
export function dropTeamLock(databaseUrl: string): Promise<void> {
  return administer(
    databaseUrl,
    `create sequence positions;
     create or replace function lock_team(team text) returns void language sql as '';
     do $do$
     declare
       numbered text := replace(pg_get_functiondef('store_messages'::regproc), 'stored := newest + added + 1',
                                'stored := nextval(''positions''); perform pg_sleep(random() * 0.1)');
     begin
       assert numbered like '%nextval%';
       execute numbered;
     end $do$`,
  )
}
