import { expect, onTestFinished, test } from 'vitest'
import { joinHosts } from '../../test/replicas/host-list.ts'
import { emptyDatabase } from '../../test/support/postgres.ts'
import { startWireReader } from '../../test/support/postgres-wire.ts'
import { openPostgresDatabase } from './postgres-database.ts'
import { createSqlStore } from './sql-store.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'

/** The connection parameters that PgBouncer accepts; it refuses any other. */
const POOLER_TAKES = ['user', 'database', 'client_encoding', 'application_name']
/** Session state that the next user of the connection would see. */
const LEFT_BEHIND = /\bset (?!local\b)|\blisten\b|\bprepare\b|advisory|\bdeclare\b|\btemp(?:orary)?\b/i

/** Reads and writes of every kind that a busy server has. */
async function useStore(url: string, options: { directUrl?: string }): Promise<void> {
  const database = await openPostgresDatabase(url, options)
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  await Promise.all(Array.from({ length: 50 }, () => store.addMessage(mailbox, messageFor(mailbox))))
  const view = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  expect(await store.listMessages(view, { limit: 100, before: null })).toHaveLength(50)
  expect(await store.hideMailbox({ teamId: team.id, id: mailbox.id }, 1)).toBe(true)
  await store.check()
}

test('a connection is opened only with parameters that a pooler knows', async () => {
  const { url, said } = await startWireReader(await emptyDatabase())
  await useStore(url, {})
  expect(said.parameters).toEqual(new Set(POOLER_TAKES))
  // The time limits still apply afterwards.
  expect(said.queries.join()).toMatch(/set statement_timeout = \d+; set lock_timeout = \d+/)
  // On sessions of our own, statements are prepared. The reader shows that.
  expect(said.prepared.size).toBeGreaterThan(3)
})

test('with a direct URL, no state stays on a session of the pooler, and every transaction has its time limits', async () => {
  const directUrl = await emptyDatabase()
  const { url, said } = await startWireReader(directUrl)
  await useStore(url, { directUrl })
  expect(said.prepared).toEqual(new Set(['']))
  expect(said.queries.filter((query) => LEFT_BEHIND.test(query))).toEqual([])
  const begun = said.queries.filter((query) => query.startsWith('begin'))
  expect(begun.length).toBeGreaterThan(3)
  for (const query of begun) expect(query).toMatch(/^begin; set local statement_timeout = \d+; set local lock_timeout/)
})

test('several hosts are no pooler, unless there is a direct URL', async () => {
  const directUrl = await emptyDatabase()
  const [one, other] = [await startWireReader(directUrl), await startWireReader(directUrl)]
  const url = joinHosts([one.url, other.url])
  await useStore(url, {})
  for (const { said } of [one, other]) expect(said.prepared.size).toBeGreaterThan(3)
  for (const { said } of [one, other]) said.prepared.clear()
  await useStore(url, { directUrl })
  for (const { said } of [one, other]) expect(said.prepared).toEqual(new Set(['']))
})
