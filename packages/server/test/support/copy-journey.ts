import { expect } from 'vitest'
import { openPostgresDatabase } from '../../src/store/postgres-database.ts'
import { createSqlStore } from '../../src/store/sql-store.ts'
import { sql } from '../../src/store/sql.ts'
import type { Team } from '../../src/store/mailboxes.ts'
import type { ListAnchor, StoredSummary } from '../../src/store/messages.ts'
import type { Store } from '../../src/store/store.ts'
import { runDatabaseCommand, startDatabaseCommand } from './database-command.ts'
import { growInstall, openSqliteStore } from './grown-install.ts'
import { administer } from './postgres.ts'
import type { PostgresServer } from './postgres-server.ts'
import { temporaryFolder } from './server.ts'

const PAGE = 200

/** The copy gets no further than this message, which is in its second transaction, so that it can be killed there. */
const HOLD_COPY = `
  create function hold_copy() returns trigger language plpgsql as $$
    begin perform pg_sleep(3600); return new; end $$;
  create trigger hold_copy before insert on messages for each row when (new.position = 1500) execute function hold_copy()`

/** PostgreSQL does not notice that the held client is gone. */
const RELEASE_COPY = `
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
  drop trigger hold_copy on messages;
  drop function hold_copy`

/** The URL of a new database, which is removed with the server. */
export async function emptyTarget(server: PostgresServer): Promise<string> {
  const name = `target_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(server.url(), `create database ${name}`)
  return server.url(name)
}

/** As a server does at its start. */
export async function migrate(url: string): Promise<void> {
  await (await openPostgresDatabase(url)).close()
}

/** Copies a grown install, is killed in the middle and run again, and compares both sides through the store. */
export async function copyJourney(server: PostgresServer, messages: number): Promise<void> {
  const dataDir = temporaryFolder()
  const { first, second, goneId } = await growInstall(dataDir, messages)
  const url = await emptyTarget(server)
  const words = ['copy', '--from', `sqlite:${dataDir}`, '--to', url]

  await migrate(url)
  await administer(url, HOLD_COPY)
  const interrupted = startDatabaseCommand(words)
  await interrupted.whenSaid(/copying messages: [1-9]\d* of/)
  await interrupted.kill()
  await administer(url, RELEASE_COPY)
  const before = await messagesIn(url)
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(messages)
  // An incomplete copy cannot be used.
  const half = await runDatabaseCommand(['status'], { DATABASE_URL: url })
  // Missing messages are not counted, although the teams' counters include them.
  expect(JSON.parse(half.stdout)).toMatchObject({
    counts: { teams: 2, keys: 0, messages: before, missing: expect.any(Number) },
  })
  const { counts } = JSON.parse(half.stdout) as { counts: { missing: number } }
  expect(counts.missing).toBeGreaterThan(0)

  const resumed = await runDatabaseCommand(words)
  expect(resumed).toMatchObject({ code: 0 })
  // Rows that were already there are not copied again.
  expect(JSON.parse(resumed.stdout)).toMatchObject({ copied: { messages: messages + 4 - before, keys: 2 } })
  const whole = await runDatabaseCommand(['status'], { DATABASE_URL: url })
  expect(JSON.parse(whole.stdout)).toMatchObject({ counts: { keys: 2, missing: 0 } })

  const again = await runDatabaseCommand(words)
  expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('copying') })
  expect(JSON.parse(again.stdout)).toMatchObject({ copied: {} })

  const source = openSqliteStore(dataDir)
  const target = createSqlStore(await openPostgresDatabase(url), { onError: () => {} })
  try {
    for (const team of [first, second]) await expectSame({ source, target }, team)
    expect(await target.hasSeen({ teamId: second.id, id: goneId })).toBe(true)
    expect(await target.hasSeen({ teamId: first.id, id: goneId })).toBe(false)
    expect(await target.countUnread(viewOf(first.id))).toBeGreaterThan(1)
    expect(await target.removedMailboxes()).toEqual(await source.removedMailboxes())
  } finally {
    await Promise.all([source.close(), target.close()])
  }

  // Control: one letter of one body.
  await administer(
    url,
    `update message_contents set text = overlay(text placing 'X' from 500) where team_id = '${first.id}' and position = 7`,
  )
  const changed = await startDatabaseCommand(words).ended
  expect(changed.code).toBe(1)
  expect(changed.stderr).toContain(
    `messages of team ${first.id}: ${messages + 1} on both sides, but with different content`,
  )
  expect(changed.stderr).not.toContain(`messages of team ${second.id}:`)
}

async function messagesIn(url: string): Promise<number> {
  const store = await openPostgresDatabase(url)
  const [row] = await store.read<{ count: number }>(sql`select count(*) as count from messages`)
  await store.close()
  return row!.count
}

async function expectSame({ source, target }: { source: Store; target: Store }, team: Team): Promise<void> {
  const pages = { source: allSummaries(source, team.id), target: allSummaries(target, team.id) }
  for await (const page of pages.source) {
    expect((await pages.target.next()).value).toEqual(page)
    const view = viewOf(team.id)
    const { id } = page[0]!
    expect(await target.findMessage(view, id)).toEqual(await source.findMessage(view, id))
  }
  expect(await pages.target.next()).toMatchObject({ done: true })
  for (const look of [
    (store: Store) => store.findTeam(team.id),
    (store: Store) => store.listMailboxes(team.id),
    (store: Store) => store.listKeys(team.id),
    (store: Store) => store.listRejections(team.id, { since: 0, limit: PAGE }),
    (store: Store) => store.listEndpoints(team.id),
    (store: Store) => deliveriesIn(store, team.id),
    (store: Store) => store.newestPosition(team.id),
    (store: Store) => store.countMessages(viewOf(team.id)),
    (store: Store) => store.countUnread(viewOf(team.id)),
    (store: Store) => store.markState(team.id),
    (store: Store) => store.changedMarks(team.id, { after: 0, limit: PAGE }),
    (store: Store) => store.messageState(team.id),
    (store: Store) => store.changedTags(team.id, { after: { version: 0, position: 0 }, limit: PAGE }),
  ]) {
    expect(await look(target)).toEqual(await look(source))
  }
}

/** With their attempts. */
async function deliveriesIn(store: Store, teamId: string) {
  const endpoints = await store.listEndpoints(teamId)
  const page = { limit: PAGE, offset: 0, status: null }
  const deliveries = (await Promise.all(endpoints.map((endpoint) => store.listDeliveries(endpoint, page)))).flat()
  return Promise.all(
    deliveries.map(async (delivery) => [delivery, await store.listAttempts({ teamId, id: delivery.id })]),
  )
}

function viewOf(teamId: string) {
  return { teamId, oldestReceivedAt: 0, filter: {} }
}

async function* allSummaries(store: Store, teamId: string): AsyncGenerator<StoredSummary[]> {
  let before: ListAnchor | null = null
  for (;;) {
    const page: StoredSummary[] = await store.listMessages(viewOf(teamId), { limit: PAGE, before })
    if (page.length === 0) return
    yield page
    before = page.at(-1)!
  }
}
