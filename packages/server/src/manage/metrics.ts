import { setImmediate } from 'node:timers/promises'
import { oldestVisible } from '../domain/plans.ts'
import type { Store, Team } from '../store/store.ts'
import type { CountedMessage } from '../store/teams.ts'

const DAY_MS = 86_400_000
const DAYS = 30
/** Rows in one read: a few milliseconds, in which nobody else is served. */
const ROWS_PER_READ = 2_000
/** Names are counted in the newest this many; days are counted whole. */
const COUNTED_MAX = 100_000
/** Tags of the newest this many: what someone may want to choose from. */
const TAGGED_MAX = 10_000
/** Tags to choose from; tests often have one each, and nobody scrolls through all of them. */
const TAGS_MAX = 500
/** Of each kind that is shown. */
const NAMES_MAX = 20

export type Counted = { name: string; count: number }

export type Metrics = {
  /** The last 30 days in UTC, the oldest first, days without mail too. */
  days: { date: string; count: number }[]
  total: number
  /** The names below were counted in the newest this many messages of those days. */
  countedMessages: number
  mailboxes: Counted[]
  tags: Counted[]
  senders: Counted[]
}

export type Tag = { tag: string; count: number; lastReceivedAt: number }

type Ports = { store: Pick<Store, 'countReceived' | 'countedMessages'>; now: () => number }

export type MetricsReader = { overview(team: Team): Promise<Metrics>; tags(team: Team): Promise<Tag[]> }

export function createMetrics(ports: Ports): MetricsReader {
  const overviews = shared<Metrics>()
  const tags = shared<Tag[]>()
  return {
    overview: (team) => overviews(team.id, () => readOverview(ports, team)),
    tags: (team) => tags(team.id, () => readTags(ports, team)),
  }
}

async function readOverview(ports: Ports, team: Team): Promise<Metrics> {
  const { store, now } = ports
  const today = Math.floor(now() / DAY_MS) * DAY_MS
  const since = Math.max(today - (DAYS - 1) * DAY_MS, oldestVisible(team, now()))
  const days: Metrics['days'] = []
  for (let day = today - (DAYS - 1) * DAY_MS; day <= today; day += DAY_MS) {
    const count = await store.countReceived(team.id, { from: Math.max(day, since), to: day + DAY_MS })
    days.push({ date: new Date(day).toISOString().slice(0, 10), count })
    // A day of many messages takes a moment, in which nobody else is served.
    await setImmediate()
  }
  const counts = {
    mailboxes: new Map<string, number>(),
    tags: new Map<string, number>(),
    senders: new Map<string, number>(),
  }
  const countedMessages = await walk(ports, team, { since, max: COUNTED_MAX }, ({ mailbox, tag, from }) => {
    addOne(counts.mailboxes, mailbox)
    if (tag !== null) addOne(counts.tags, tag)
    if (from !== '') addOne(counts.senders, from.toLowerCase())
  })
  return {
    days,
    total: days.reduce((sum, { count }) => sum + count, 0),
    countedMessages,
    mailboxes: mostOf(counts.mailboxes),
    tags: mostOf(counts.tags),
    senders: mostOf(counts.senders),
  }
}

/** The last used first. */
async function readTags(ports: Ports, team: Team): Promise<Tag[]> {
  const found = new Map<string, Tag>()
  const since = oldestVisible(team, ports.now())
  await walk(ports, team, { since, max: TAGGED_MAX }, ({ tag, receivedAt }) => {
    if (tag === null) return
    const known = found.get(tag)
    if (known) known.count++
    else found.set(tag, { tag, count: 1, lastReceivedAt: receivedAt })
  })
  return Array.from(found.values()).slice(0, TAGS_MAX)
}

/** From the newest backwards, in steps between which others have their turn; how many there were. */
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

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function mostOf(counts: Map<string, number>): Counted[] {
  const all = Array.from(counts, ([name, count]) => ({ name, count }))
  return all.sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1)).slice(0, NAMES_MAX)
}

/** Whoever asks while the same is being counted gets that answer: counting is the dearest that a dashboard asks for. */
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
