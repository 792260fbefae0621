import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import type { MessageFilter } from '../../src/domain/match.ts'
import { createLocalFeed, type Feed } from '../../src/feed/feed.ts'
import { createFollowers } from '../../src/read/followers.ts'
import type { Sink } from '../../src/read/stream.ts'
import { createStreams, STREAM_LIMITS } from '../../src/read/streams.ts'
import { openSqliteDatabase } from '../../src/store/sqlite-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { addMailbox, addTeam, messageFor, newId } from '../../src/store/store-contract.ts'
import type { Team } from '../../src/store/mailboxes.ts'
import type { NewMessage, StoredSummary } from '../../src/store/messages.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from './server.ts'

export const NOW = Date.parse('2026-05-01T12:00:00Z')
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
// Bytes that a test can read back.
const FRAMES = {
  message: ({ subject }: StoredSummary) => Buffer.from(`${subject}\n`),
  ping: Buffer.from('ping\n'),
  reconnect: Buffer.from('come back\n'),
}

type Wish = {
  feed?: Feed
  limits?: Partial<typeof STREAM_LIMITS>
  team?: Partial<Team>
  watch?: (store: Store) => Store
}

/** Streams on a real store, read by connections without a network. */
export async function startStreams({
  feed = createLocalFeed(),
  limits = {},
  team: wish = {},
  watch = (store) => store,
}: Wish = {}) {
  const store = createSqlStore(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')), { onError: fail })
  const log = { ...SILENT, error: vi.fn<typeof SILENT.error>() }
  const clock = { now: NOW }
  const followers = createFollowers({ store, feed, log })
  const streams = createStreams(
    { store: watch(store), followers, frames: FRAMES, log, now: () => clock.now },
    { ...STREAM_LIMITS, ...limits },
  )
  onTestFinished(async () => {
    streams.close()
    followers.close()
    await store.close()
  })
  const team = await addTeam(store, wish)
  const mailbox = await addMailbox(store, team, 'qa')

  async function addKey(expiresAt: number | null = null) {
    const id = newId()
    const hash = `hash of ${id}`
    const access = { scopes: ['email.full' as const], mailboxId: null, expiresAt }
    await store.addKey({ id, teamId: team.id, name: 'key', masked: '', hash, createdAt: NOW, ...access })
    return (await store.findPrincipal(hash))!
  }

  async function add(subject: string, message: Partial<NewMessage> = {}): Promise<void> {
    await store.addMessage(mailbox, messageFor(mailbox, { subject, ...message }))
    feed.wake(team.id, null)
  }

  const firstKey = await addKey()
  return {
    store,
    streams,
    followers,
    clock,
    log,
    mailbox,
    addKey,
    add,
    async addMany(names: string[]) {
      await Promise.all(names.map((name) => add(name)))
    },
    async open(
      filter: MessageFilter = {},
      options: { after?: number; key?: typeof firstKey; isStalled?: boolean } = {},
    ) {
      const reader = createReader(options.isStalled ?? false)
      const { after = null, key = firstKey } = options
      await streams.open({ principal: key, filter, after }, (gone) => {
        reader.gone = gone
        return reader.sink
      })
      return reader
    },
  }
}

/** A connection without a network. A stalled one reads nothing until it is resumed. */
export function createReader(isStalled: boolean) {
  const reader = {
    got: [] as string[],
    writes: 0,
    state: 'open' as 'open' | 'ended' | 'cut',
    gone() {},
    isStalled,
    resume,
  }
  let waiting = Buffer.alloc(0)
  let wake = () => {}

  function resume(): void {
    reader.isStalled = false
    reader.got.push(...waiting.toString().split('\n').slice(0, -1))
    waiting = Buffer.alloc(0)
    wake()
  }

  const sink: Sink = {
    write(bytes) {
      reader.writes++
      waiting = Buffer.concat([waiting, bytes])
      if (!reader.isStalled) resume()
    },
    waitingBytes: () => waiting.length,
    drained: async () => {
      if (waiting.length > 0) await new Promise<void>((resolve) => (wake = resolve))
    },
    end: () => void (reader.state = 'ended'),
    cut: () => void (reader.state = 'cut'),
  }
  return Object.assign(reader, { sink })
}

function fail(error: unknown): never {
  throw error
}
