import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { temporaryFolder } from '../../test/support/server.ts'
import type { Principal } from '../domain/access.ts'
import { copyIds, mailIdOf } from '../domain/mail-copies.ts'
import { uuidv7 } from '../domain/uuid.ts'
import type { Mailbox } from '../store/mailboxes.ts'
import type { StoredSummary, View } from '../store/messages.ts'
import { createSqlStore } from '../store/sql-store.ts'
import { openSqliteDatabase } from '../store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from '../store/store-contract.ts'
import { createMailCounter } from './mail-counts.ts'

const STEPS = 300
const ALL = 1_000

async function start() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailboxes = await Promise.all(['a', 'b', 'c'].map((name) => addMailbox(store, team, name)))
  return { store, team, mailboxes, count: createMailCounter(store) }
}

function callerOf(team: Principal['team'], mailbox: Mailbox | null): Principal {
  const scopes: Principal['scopes'] = ['api.full']
  return { keyId: 'key', keyHash: 'key', keyName: 'Key', scopes, expiresAt: null, team, mailbox }
}

test.each([1, 2, 3])('counts are those of a plain count after any change (seed %i)', async (seed) => {
  const { store, team, mailboxes, count } = await start()
  const random = seededRandom(seed)
  const everything: View = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  const list = async (view: View) => (await store.listMessages(view, { limit: ALL, before: null })).slice(0, ALL)
  const some = async () => (await list(everything)).filter(() => random.chance(0.1))

  const changes = [
    async () => {
      const receivedAt = 1_000 + random.below(50)
      const recipients = Array.from({ length: random.pick([1, 1, 2, 3, 8]) }, () => random.pick(mailboxes))
      const ids = copyIds(recipients.map(() => uuidv7(receivedAt, crypto.getRandomValues(new Uint8Array(10)))))
      for (const [index, mailbox] of recipients.entries()) {
        await store.addMessage(mailbox, messageFor(mailbox, { id: ids[index]!, receivedAt }))
      }
    },
    async () => {
      const gone = await some()
      if (gone.length === 0) return
      await store.removeMessages(
        team.id,
        gone.map(({ position }) => position),
        0,
      )
    },
    async () =>
      void (await store.markMessages(
        team.id,
        (await some()).map(({ position }) => position),
        random.chance(0.6),
      )),
    async () => store.markAllRead(team.id, random.below((await store.newestPosition(team.id)) + 1)),
  ]
  let several = 0
  for (let step = 0; step < STEPS; step++) {
    await random.pick([changes[0]!, ...changes])()
    if (random.chance(0.5)) continue
    const mailbox = random.pick([null, ...mailboxes])
    const view = { ...everything, filter: mailbox === null ? {} : { mailboxId: mailbox.id } }
    const messages = await list(view)
    const read = new Set(
      await store.readAmong(
        team.id,
        messages.map(({ position }) => position),
      ),
    )
    const mails = Array.from(Map.groupBy(messages, ({ id }) => mailIdOf(id)).values())
    several += mails.filter(({ length }) => length > 1).length
    const isUnread = (copies: StoredSummary[]) => copies.some(({ position }) => !read.has(position))
    expect(await count(callerOf(team, mailbox), view)).toEqual({
      total: mails.length,
      unread: mails.filter(isUnread).length,
    })
  }
  expect(several).toBeGreaterThan(100)
})

test('what is known of a team is not looked for again, also after a deletion', async () => {
  const { store, team, mailboxes, count } = await start()
  const [mailbox] = mailboxes
  const ids = copyIds([1, 2].map(() => uuidv7(1_000, crypto.getRandomValues(new Uint8Array(10)))))
  for (const id of ids) await store.addMessage(mailbox!, messageFor(mailbox!, { id }))
  for (let number = 0; number < 5; number++) await store.addMessage(mailbox!, messageFor(mailbox!))
  const view: View = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  expect(await count(callerOf(team, null), view)).toEqual({ total: 6, unread: 6 })
  const reads = [vi.spyOn(store, 'listMessages'), vi.spyOn(store, 'followMessages'), vi.spyOn(store, 'readAmong')]
  expect(await count(callerOf(team, null), view)).toEqual({ total: 6, unread: 6 })
  await store.removeMessages(team.id, [1, 7], 0)
  expect(await count(callerOf(team, null), view)).toEqual({ total: 5, unread: 5 })
  expect(reads.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
})
