import { setImmediate } from 'node:timers/promises'
import { oldestVisible } from '../domain/plans.ts'
import type { Team } from '../store/mailboxes.ts'
import type { Store } from '../store/store.ts'
import type { CountedMessage, DeliveryCounts } from '../store/teams.ts'

const DAY_MS = 86_400_000
const DAYS = 30
/** Rows per query. It takes a few milliseconds, which block other requests. */
const ROWS_PER_READ = 2_000
/** Names and bytes are counted in this many of the newest messages. Messages per day are counted completely. */
const COUNTED_MAX = 100_000
/** Tags are collected from this many of the newest messages. */
const TAGGED_MAX = 10_000
/** Tags offered for selection. Tests often use one each, and a longer list is not useful. */
const TAGS_MAX = 500
/** Entries shown per list. */
const NAMES_MAX = 20

export type Counted = { name: string; count: number }

export type Day = DeliveryCounts & {
  date: string
  count: number
  /** Null for days that were not counted completely. */
  bytes: number | null
}

export type Metrics = {
  /** The last 30 days in UTC, oldest first, including days without mail. */
  days: Day[]
  total: number
  /** Number of the newest messages of those days in which names and bytes were counted. */
  countedMessages: number
  mailboxes: Counted[]
  tags: Counted[]
  senders: Counted[]
}

export type TagCount = { tag: string; count: number; lastReceivedAt: number }

type Ports = { store: Pick<Store, 'countReceived' | 'countDeliveries' | 'countedMessages'>; now: () => number }

export type MetricsReader = { overview(team: Team): Promise<Metrics>; tags(team: Team): Promise<TagCount[]> }

export function createMetrics(ports: Ports): MetricsReader {
  const overviews = shared<Metrics>()
  const tags = shared<TagCount[]>()
  return {
    overview: (team) => overviews(team.id, () => readOverview(ports, team)),
    tags: (team) => tags(team.id, () => readTags(ports, team)),
  }
}

async function readOverview(ports: Ports, team: Team): Promise<Metrics> {
  const since = Math.max(startOfDay(ports.now()) - (DAYS - 1) * DAY_MS, oldestVisible(team, ports.now()))
  const days = await readDays(ports, team, since)
  const counts = {
    mailboxes: new Map<string, number>(),
    tags: new Map<string, number>(),
    senders: new Map<string, number>(),
  }
  const bytes = new Map<number, number>()
  let oldest = Infinity
  const countedMessages = await walk(ports, team, { since, max: COUNTED_MAX }, (message) => {
    const { mailbox, tag, from, size, receivedAt } = message
    oldest = receivedAt
    add(bytes, startOfDay(receivedAt), size ?? 0)
    add(counts.mailboxes, mailbox, 1)
    if (tag !== null) add(counts.tags, tag, 1)
    if (from !== '') add(counts.senders, from.toLowerCase(), 1)
  })
  const isComplete = (start: number) => countedMessages < COUNTED_MAX || start > oldest
  return {
    days: days.map(({ start, ...day }) => ({ ...day, bytes: isComplete(start) ? (bytes.get(start) ?? 0) : null })),
    total: days.reduce((sum, { count }) => sum + count, 0),
    countedMessages,
    mailboxes: mostOf(counts.mailboxes),
    tags: mostOf(counts.tags),
    senders: mostOf(counts.senders),
  }
}

/** Yields after each query, because counting a busy day takes a while and blocks other requests. */
async function readDays({ store, now }: Ports, team: Team, since: number) {
  const today = startOfDay(now())
  const days: (Omit<Day, 'bytes'> & { start: number })[] = []
  for (let start = today - (DAYS - 1) * DAY_MS; start <= today; start += DAY_MS) {
    const to = start + DAY_MS
    const count = await store.countReceived(team.id, { from: Math.max(start, since), to })
    await setImmediate()
    const deliveries = await store.countDeliveries(team.id, { from: start, to })
    await setImmediate()
    days.push({ start, date: new Date(start).toISOString().slice(0, 10), count, ...deliveries })
  }
  return days
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}

/** Most recently used first. */
async function readTags(ports: Ports, team: Team): Promise<TagCount[]> {
  const found = new Map<string, TagCount>()
  const since = oldestVisible(team, ports.now())
  await walk(ports, team, { since, max: TAGGED_MAX }, ({ tag, receivedAt }) => {
    if (tag === null) return
    const known = found.get(tag)
    if (known) known.count++
    else found.set(tag, { tag, count: 1, lastReceivedAt: receivedAt })
  })
  return Array.from(found.values()).slice(0, TAGS_MAX)
}

/** Visits messages from the newest backwards, yielding between steps. Returns their number. */
async function walk(
  { store }: Ports,
  team: Team,
  { since, max }: { since: number; max: number },
  visit: (message: CountedMessage) => void,
): Promise<number> {
  let before: CountedMessage | null = null
  for (let count = 0; ;) {
    const page: CountedMessage[] = await store.countedMessages(team.id, { since, before, limit: ROWS_PER_READ })
    page.forEach(visit)
    count += page.length
    before = page.at(-1) ?? null
    if (page.length < ROWS_PER_READ || count >= max) return count
    await setImmediate()
  }
}

function add<Key>(sums: Map<Key, number>, key: Key, number: number): void {
  sums.set(key, (sums.get(key) ?? 0) + number)
}

function mostOf(counts: Map<string, number>): Counted[] {
  const all = Array.from(counts, ([name, count]) => ({ name, count }))
  return all.sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1)).slice(0, NAMES_MAX)
}

/** Concurrent requests for the same counts share one result: counting is the most expensive part of the dashboard. */
function shared<Value>() {
  const running = new Map<string, Promise<Value>>()
  return (id: string, read: () => Promise<Value>): Promise<Value> => {
    const known = running.get(id)
    if (known) return known
    const value = read().finally(() => running.delete(id))
    running.set(id, value)
    return value
  }
}
