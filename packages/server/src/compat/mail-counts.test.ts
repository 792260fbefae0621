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
  return { store, team, mailboxes, counter: createMailCounter(store) }
}

function callerOf(team: Principal['team'], mailbox: Mailbox | null): Principal {
  const scopes: Principal['scopes'] = ['api.full']
  return { keyId: 'key', keyHash: 'key', keyName: 'Key', scopes, expiresAt: null, team, mailbox }
}

test.each([1, 2, 3])(
  'counts are those of a plain count after any change, of this process or another (seed %i)',
  async (seed) => {
    const { store, team, mailboxes, counter } = await start()
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
        // Otherwise another process has deleted them.
        if (random.chance(0.5))
          counter.deleted(
            team.id,
            gone.map(({ id }) => id),
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
      expect(await counter.counts(callerOf(team, mailbox), view)).toEqual({
        total: mails.length,
        unread: mails.filter(isUnread).length,
      })
    }
    expect(several).toBeGreaterThan(100)
  },
)

test('a team whose messages were looked at costs one small query more, also after a deletion here', async () => {
  const { store, team, mailboxes, counter } = await start()
  for (let count = 0; count < 5; count++) await store.addMessage(mailboxes[0]!, messageFor(mailboxes[0]!))
  const view: View = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  const count = () => counter.counts(callerOf(team, null), view)
  expect(await count()).toEqual({ total: 5, unread: 5 })
  const lists = vi.spyOn(store, 'listMessages')
  const follows = vi.spyOn(store, 'followMessages')
  expect(await count()).toEqual({ total: 5, unread: 5 })
  const [removed] = await store.removeMessages(team.id, [1], 0)
  counter.deleted(team.id, [removed!.id])
  expect(await count()).toEqual({ total: 4, unread: 4 })
  expect([lists.mock.calls, follows.mock.calls]).toEqual([[], []])
})
