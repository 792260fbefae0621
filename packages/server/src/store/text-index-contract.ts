import { expect, onTestFinished, test, vi } from 'vitest'
import type { Database } from './database.ts'
import { whenIndexed } from './matching-contract.ts'
import { createSqlStore } from './sql-store.ts'
import { assemble, sql } from './sql.ts'
import { addMailbox, addTeam, messageFor } from './store-contract.ts'

const MESSAGES = 300
const BLOCK_SIZE = 64

/** That searches use what the random filters of the other contracts are meant to try. */
export function describeTextIndex(open: () => Promise<Database>): void {
  test('slices are lists or bits, and a search checks only messages that their signatures propose', async () => {
    const database = await open()
    const read = vi.spyOn(database, 'read')
    const onError = (error: unknown) => expect.unreachable(String(error))
    const store = createSqlStore(database, { onError, blockSize: BLOCK_SIZE })
    onTestFinished(() => store.close())
    const mailbox = await addMailbox(store, await addTeam(store), 'qa')
    const { teamId } = mailbox
    const subjectOf = (number: number) => `Needle ${(number * 7_919_191).toString(36)} of its own`
    for (let number = 1; number <= MESSAGES; number++) {
      await store.addMessage(mailbox, messageFor(mailbox, { subject: subjectOf(number), text: 'Only hay' }))
    }
    await whenIndexed(database, BLOCK_SIZE)
    const [lengths] = await database.read<{ shortest: number; longest: number }>(sql`
      select min(octet_length(bits)) as shortest, max(octet_length(bits)) as longest
      from index_slices where team_id = ${teamId}`)
    expect(lengths!.shortest).toBeLessThan(BLOCK_SIZE / 8)
    expect(lengths!.longest).toBe(BLOCK_SIZE / 8)

    // In the first block, in the last one, and after it.
    for (const number of [5, 4 * BLOCK_SIZE - 2, MESSAGES - 1]) {
      read.mockClear()
      const view = { teamId, oldestReceivedAt: 0, filter: { subject: [subjectOf(number).toLowerCase()] } }
      const found = await store.listMessages(view, { limit: 10, before: null })
      expect(found.map(({ position }) => position)).toEqual([number])
      const checks = read.mock.calls
        .map(([query]) => assemble(query))
        .filter(({ text }) => text.includes('from messages m'))
      const positions = checks.flatMap(({ values }) => values.filter((value) => /^[[{]\d/.test(String(value))))
      expect(positions.map((list) => String(list).slice(1, -1))).toEqual([String(number)])
    }
  })
}
