import { createLocalFeed } from '../../src/feed/feed.ts'
import { hashApiKey } from '../../src/http/authenticate.ts'
import { postLocally } from '../../src/http/local-post.ts'
import { createAcceptAnnouncement } from '../../src/intake/accept-announcement.ts'
import { createTeam } from '../../src/manage/teams.ts'
import { newId, secureRandom } from '../../src/random.ts'
import type { ListAnchor } from '../../src/store/messages.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import type { FaultyDatabase } from './fault-databases.ts'
import type { SeededRandom } from './seeded-random.ts'

export const DOMAIN = 'qa.test'
const PAGE = 200
const SILENT = { debug() {}, info() {}, warn() {}, error() {} }

/** `well` is without faults of the way to it. */
type ApiState = 'away' | 'flapping' | 'up' | 'well'
export type Found = { tag: string; id: string; position: number }

/** Intake on a database that fails on demand. Its answers may get lost too. */
export async function startFaultyApi(database: FaultyDatabase, random: SeededRandom, now: () => number) {
  const options = { onError: () => {} }
  const store = createSqlStore(database.faulty.port, options)
  const view = createSqlStore(database.view, options)
  const making = { newId, now, random: secureRandom, hashKey: hashApiKey }
  const team = await createTeam(
    { store, rootDomain: 'in.test', ...making },
    { name: 'QA', domain: DOMAIN, plan: 'enterprise' },
  )
  const acceptAnnouncement = createAcceptAnnouncement({
    store,
    feed: createLocalFeed(),
    wakeSender: () => {},
    rootDomain: 'in.test',
    catchAllTeam: async () => null,
    recordRejection: () => {},
    newId,
    now,
  })
  const post = postLocally(acceptAnnouncement, SILENT)
  let state: ApiState = 'well'
  let posts = 0

  async function list(before: ListAnchor | null) {
    return view.listMessages({ teamId: team.id, oldestReceivedAt: 0, filter: {} }, { before, limit: PAGE })
  }

  return {
    store,
    teamId: team.id,
    set: (next: ApiState) => void (state = next),
    posts: () => posts,
    async post(announcement: unknown) {
      posts++
      if (state === 'away' || (state === 'flapping' && random.chance(0.5))) throw new Error('ECONNREFUSED')
      const answer = await post(announcement)
      // Stored, but the response is lost.
      if (state === 'flapping' && random.chance(0.2)) throw new Error('ECONNRESET')
      return answer
    },
    async newest(): Promise<Found[]> {
      return (await list(null)).map(({ tag, id, position }) => ({ tag: tag ?? '', id, position }))
    },
    async idsByTag(): Promise<Map<string, string[]>> {
      const found = new Map<string, string[]>()
      let last: ListAnchor | null = null
      for (;;) {
        const page = await list(last)
        for (const { tag, id } of page) found.set(tag ?? '', [...(found.get(tag ?? '') ?? []), id])
        last = page.at(-1) ?? null
        if (last === null) return found
      }
    },
  }
}
