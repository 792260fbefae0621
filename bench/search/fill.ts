import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashApiKey } from '../../packages/server/src/http/authenticate.ts'
import { newId } from '../../packages/server/src/random.ts'
import type { Database } from '../../packages/server/src/store/database.ts'
import { createSqlStore } from '../../packages/server/src/store/sql-store.ts'
import type { Mailbox } from '../../packages/server/src/store/mailboxes.ts'
import type { Store } from '../../packages/server/src/store/store.ts'
import { BLOCK_SIZE, readIndexState } from '../../packages/server/src/store/text-block.ts'
import { megabytesOf, openPlace, type Place } from './databases.ts'
import { COMMON_SHARE, messageAt } from './mail.ts'
import type { Options } from './options.ts'

/** Messages per commit. */
const GROUP = 256
/** Indexing that takes longer has failed. */
const INDEXING_MS_MAX = 600_000
const PROGRESS_MS = 2_000

export const TEAMS = ['small', 'large'] as const
export type TeamName = (typeof TEAMS)[number]

export type Filled = {
  counts: Record<TeamName, number>
  fillSeconds: number
  /** Time after the last message was stored. */
  indexSeconds: number
  megabytes: number
}

type FillOptions = Pick<Options, 'messages' | 'smallTeamMessages'>

export function keyOf(team: TeamName): string {
  return `key-of-the-${team}-team-0123456789`
}

/** The store of an earlier run in the folder, if any. */
export function readFilled(folder: string): Filled | null {
  const file = factsFile(folder)
  // `fillStore` wrote it.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Filled) : null
}

/** Creates an indexed store with both teams. */
export async function fillStore(place: Place, { messages, smallTeamMessages }: FillOptions): Promise<Filled> {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  const database = await openPlace(place)
  const store = createSqlStore(database, { onError: rethrow })
  const counts = { small: smallTeamMessages, large: messages - smallTeamMessages }
  const startedAt = performance.now()
  await addAll(store, counts)
  const filledAt = performance.now()
  for (const { id } of await store.listTeams()) await untilIndexed(database, id)
  const indexedAt = performance.now()
  await store.close()
  const filled = {
    counts,
    fillSeconds: (filledAt - startedAt) / 1000,
    indexSeconds: (indexedAt - filledAt) / 1000,
    megabytes: await megabytesOf(place),
  }
  // Only a file outlives this run.
  if (place.url === null) writeFileSync(factsFile(place.folder), JSON.stringify(filled))
  return filled
}

function factsFile(folder: string): string {
  return join(folder, 'filled.json')
}

export async function untilIndexed(database: Database, teamId: string): Promise<void> {
  const deadline = performance.now() + INDEXING_MS_MAX
  for (;;) {
    const state = await readIndexState(database, teamId)
    if (!state || state.lastPosition - state.indexedThrough < BLOCK_SIZE) return
    if (performance.now() > deadline) throw new Error('The messages were not indexed in time.')
    await sleep(20)
  }
}

async function addAll(store: Store, counts: Record<TeamName, number>): Promise<void> {
  const now = Date.now()
  const mailboxes = { small: await addTeam(store, 'small'), large: await addTeam(store, 'large') }
  const added = { small: 0, large: 0 }
  const all = counts.small + counts.large
  let toldAt = performance.now()
  let waiting: Promise<unknown>[] = []
  for (let count = 0; count < all; count++) {
    // Both teams grow evenly, so that their messages are interleaved.
    const team = added.small * counts.large <= added.large * counts.small ? 'small' : 'large'
    const message = messageAt(added[team]++, counts[team], mailboxes[team], now)
    const mailbox = mailboxes[team].find(({ name }) => name === message.objectMailbox)!
    waiting.push(store.addMessage(mailbox, message))
    if (waiting.length < GROUP && count < all - 1) continue
    await Promise.all(waiting)
    waiting = []
    if (performance.now() - toldAt < PROGRESS_MS) continue
    toldAt = performance.now()
    process.stderr.write(`\rfilling: ${count + 1} of ${all} messages `)
  }
  process.stderr.write('\n')
}

/** Creates a team with its key and mailboxes. */
export async function addTeam(store: Store, name: TeamName): Promise<Mailbox[]> {
  const at = Date.now()
  const team = { id: newId(at), name, plan: 'enterprise' as const, retentionDays: null, domain: `${name}.in.example` }
  const key = keyOf(name)
  await store.addTeam(
    { ...team, createdAt: at, isBootstrap: false },
    {
      id: newId(at),
      teamId: team.id,
      name: 'benchmark',
      hash: hashApiKey(key),
      masked: 'benchmark',
      scopes: ['api.full'],
      mailboxId: null,
      expiresAt: null,
      createdAt: at,
    },
  )
  const mailboxes: Mailbox[] = []
  for (let number = 0; number < COMMON_SHARE; number++) {
    const mailbox = {
      id: newId(at),
      teamId: team.id,
      name: `box${number}`,
      domain: team.domain,
      createdAt: at,
      updatedAt: at,
    }
    await store.addMailbox(mailbox, null)
    mailboxes.push(mailbox)
  }
  return mailboxes
}

function rethrow(error: unknown): never {
  throw error
}
