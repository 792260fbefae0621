import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { boundDatabase } from '../../test/support/bound-database.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import { REMEMBERED_MS } from '../domain/retry.ts'
import { createLogger } from '../observe/logger.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor, NOW } from '../store/store-contract.ts'
import { startSweep } from './sweep.ts'

const DAY_MS = 86_400_000

test('ids of a deleted team are forgotten, also if its messages were deleted days after its addresses', async () => {
  const database = boundDatabase(openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db')))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const message = messageFor(mailbox)
  await store.addMessage(mailbox, message)
  await store.closeTeam(team.id, NOW)
  await store.hideMailbox(mailbox, NOW)
  const deletedAt = NOW + 3 * DAY_MS
  await store.removeMessages(team.id, [1], deletedAt)
  await store.recordObjectsGone(team.id, [message.id])
  await store.dropMailbox(mailbox)
  expect(await store.dropTeam(team.id)).toBe(true)

  // The first sweep forgets who had the addresses, and a later one the id.
  let at = deletedAt + REMEMBERED_MS - DAY_MS
  const ports = { store, objects: null, log: createLogger('silent', false), now: () => at, holdsLock: async () => true }
  const sweep = startSweep(ports, 1)
  onTestFinished(() => sweep.close())
  const address = { domain: mailbox.domain, mailbox: mailbox.name }
  await expect.poll(() => store.formerHolders(address)).toEqual([])
  expect(await store.hasSeen({ teamId: team.id, id: message.id })).toBe(true)
  at += 2 * DAY_MS
  await expect.poll(() => store.hasSeen({ teamId: team.id, id: message.id })).toBe(false)
})
