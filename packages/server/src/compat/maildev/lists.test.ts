import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/server.ts'
import { createSqlStore } from '../../store/sql-store.ts'
import { openSqliteDatabase } from '../../store/sqlite-database.ts'
import { addMailbox, addTeam, messageFor } from '../../store/store-contract.ts'
import type { View } from '../../store/messages.ts'
import { createLists } from './lists.ts'
import { THIRD } from './version.ts'

const COUNT = 450
const DAY_MS = 86_400_000

/** Mails that say other times than those of their arrival, to many people. */
async function start() {
  const database = openSqliteDatabase(join(temporaryFolder(), 'mailhatch.db'))
  const store = createSqlStore(database, { onError: (error) => expect.unreachable(String(error)) })
  onTestFinished(() => store.close())
  const team = await addTeam(store)
  const mailbox = await addMailbox(store, team, 'qa')
  const to = Array.from({ length: 60 }, (_, number) => `user-with-a-long-name-${number}@shop.example`).join(', ')
  for (let index = 0; index < COUNT; index++) {
    const date = new Date((COUNT - index) * DAY_MS).toUTCString()
    const headers = Object.entries({ date, to }).map(([name, value]) => ({ name, value }))
    await store.addMessage(mailbox, messageFor(mailbox, { subject: `${index}`, headers }))
  }
  const find = vi.spyOn(store, 'findMessage')
  const view: View = { teamId: team.id, oldestReceivedAt: 0, filter: {} }
  return { lists: createLists(store), find, view }
}

test('a list in the order of its times reads only what it returns, once the times are known', async () => {
  const { lists, find, view } = await start()
  const newest = async () => {
    const found = await lists.containing(view, '', { unreadOnly: false, order: 'desc' })
    expect(found).toHaveLength(COUNT)
    const writing = { present: THIRD.present, isNewestFirst: true }
    return JSON.parse(await lists.write(view, found.slice(0, 1), writing)) as { subject: string }[]
  }
  expect(await newest()).toMatchObject([{ subject: '0' }])
  find.mockClear()
  expect(await newest()).toMatchObject([{ subject: '0' }])
  const options = { max: Infinity, order: 'asc' as const }
  const [oldest] = await lists.filtered(view, THIRD, [], options)
  expect(oldest!.copies[0].subject).toBe(`${COUNT - 1}`)
  expect(find).toHaveBeenCalledTimes(1)
})

test('a client that leaves ends the sorting', async () => {
  const { lists, find, view } = await start()
  const proceed = () => {
    if (find.mock.calls.length >= 200) throw new Error('gone')
  }
  const options = { unreadOnly: false, order: 'desc' as const }
  await expect(lists.containing({ ...view, proceed }, '', options)).rejects.toThrow('gone')
  expect(find.mock.calls.length).toBeLessThan(COUNT)
})
