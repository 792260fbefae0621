import pg from 'pg'
import { mailboxOn, ROOT } from '../../src/store/claims-contract.ts'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { addTeam, NOW } from '../../src/store/store-contract.ts'
import type { Team } from '../../src/store/mailboxes.ts'
import type { Store } from '../../src/store/store.ts'
import { seededRandom, type SeededRandom } from './seeded-random.ts'

const TEAMS = 4
/** Few, so that changes collide. */
const NAMES = ['shop', 'orders', 'news']
const DOMAINS = ['one.example', 'two.example']
const CHANGES_AT_ONCE = 12

export type CrashReport = { done: number; interrupted: number; stuck: string[]; shared: string[] }

/**
 * Teams claim, rename, move and give up names at once, while the database ends all sessions at a random statement. After
 * each round, every name must belong to at most one team and be free for others unless a mailbox has it.
 */
export async function crashClaims(given: { url: string; rounds: number; seed: number }): Promise<CrashReport> {
  const random = seededRandom(given.seed)
  const database = await openPostgresDatabase(given.url)
  const store = createSqlStore(database, { onError: () => {} })
  const administrator = new pg.Client(given.url)
  await administrator.connect()
  const report: CrashReport = { done: 0, interrupted: 0, stuck: [], shared: [] }
  try {
    const teams = await Promise.all(Array.from({ length: TEAMS }, () => addTeam(store, { domain: null })))
    for (let round = 0; round < given.rounds; round++) {
      const changes = Promise.allSettled(
        Array.from({ length: CHANGES_AT_ONCE }, () => change(store, random, random.pick(teams))),
      )
      // Not a wait for a condition: the sessions end in the middle of any statement.
      for (let turns = random.below(40); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
      await administrator.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      for (const { status } of await changes) {
        if (status === 'fulfilled') report.done++
        else report.interrupted++
      }
      // A new store: sessions of the first may end only now.
      const checking = createSqlStore(await openPostgresDatabase(given.url), { onError: () => {} })
      await check(checking, administrator, report)
      await checking.close()
    }
  } finally {
    await administrator.end()
    await store.close()
  }
  return report
}

async function change(store: Store, random: SeededRandom, team: Team): Promise<void> {
  const [name, other] = [random.pick(NAMES), random.pick(NAMES)]
  const domain = random.pick([null, ...DOMAINS])
  const kind = random.pick(['add', 'add', 'rename', 'hide', 'move'] as const)
  if (kind === 'add') {
    const own = (await store.findTeam(team.id))!.domain
    // With a low limit, some claims are made and released again.
    await store.addMailbox(mailboxOn(own ?? ROOT, team.id, name), random.pick([null, 1]), own)
  } else if (kind === 'move') {
    await store.moveToDomain(team.id, { domain: domain ?? ROOT, isCustom: domain !== null, at: NOW })
  } else {
    const mailbox = await store.findTeamMailbox({ teamId: team.id, name })
    if (mailbox && kind === 'rename') await store.renameMailbox(mailbox, { name: other, at: NOW })
    if (mailbox && kind === 'hide') await store.hideMailbox({ teamId: team.id, id: mailbox.id }, NOW)
  }
}

/** A name on the root domain is free for a new team exactly if no mailbox has it. */
async function check(store: Store, administrator: pg.Client, report: CrashReport): Promise<void> {
  for (const name of NAMES) {
    const { rows } = await administrator.query(
      `select b.team_id from mailboxes b join teams t on t.id = b.team_id
       where b.domain = $1 and b.name = $2 and b.removed_at is null and b.is_caught = 0 and t.domain is null`,
      [ROOT, name],
    )
    if (rows.length > 1) report.shared.push(`${name}: ${rows.length} teams`)
    const stranger = await addTeam(store, { domain: null })
    const mailbox = mailboxOn(ROOT, stranger.id, name)
    const isAdded = typeof (await store.addMailbox(mailbox, null)) !== 'string'
    if (isAdded === rows.length > 0) (isAdded ? report.shared : report.stuck).push(name)
    if (isAdded) await store.hideMailbox({ teamId: stranger.id, id: mailbox.id }, NOW)
  }
}
