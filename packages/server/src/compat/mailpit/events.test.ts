import { expect, onTestFinished, test } from 'vitest'
import { clientDouble, eventPorts, principalOf } from '../../../test/compat/event-doubles.ts'
import { EVENT_LIMITS } from '../event-groups.ts'
import type { CountMails } from '../mail-counts.ts'
import { createEvents } from './events.ts'

type Event = { Type: string; Data: Record<string, unknown> | null }

/** A connection of a key for the whole team, and what it receives. */
async function listen(store: object, counts: CountMails = async () => ({ total: 0, unread: 0 })): Promise<Event[]> {
  const events = createEvents(eventPorts(store), counts, { ...EVENT_LIMITS, pingEveryMs: 20 })
  onTestFinished(events.close)
  const received: Event[] = []
  const principal = principalOf('key')
  const start = await events.begin(principal)
  events.connect(principal, start, () => clientDouble((text) => received.push(JSON.parse(text) as Event)))
  return received
}

const stats = (Total: number, Unread: number) => ({ Type: 'stats', Data: expect.objectContaining({ Total, Unread }) })

test('what another process deletes is found by counting again, and nothing is sent while the counts stay', async () => {
  let [total, counted] = [5, 0]
  const received = await listen({}, async () => {
    counted++
    return { total, unread: 1 }
  })
  await expect.poll(() => received).toEqual([stats(5, 1)])
  const before = counted
  await expect.poll(() => counted).toBeGreaterThan(before + 5)
  expect(received).toHaveLength(1)
  total = 3
  await expect.poll(() => received.slice(1)).toEqual([{ Type: 'prune', Data: null }, stats(3, 1)])
  total = 0
  await expect.poll(() => received.slice(3)).toEqual([{ Type: 'truncate', Data: null }, stats(0, 1)])
})

/** Marks that many messages, a moment after the connection was opened. */
function marking(count: number) {
  let reads = 0
  return {
    findCopies: async (_: object, id: string) => [{ id }],
    markState: () => Promise.resolve({ version: reads++ < 2 ? 1 : 2, readThrough: 0 }),
    changedMarks: () =>
      Promise.resolve(
        Array.from({ length: count }, (_, index) => ({
          id: `0199a3c2-7d41-7a52-9c39-${String(index).padStart(8, '0')}0000`,
          isRead: true,
        })),
      ),
  }
}

test('a few messages that are marked are announced each, and of many the client reads its list again', async () => {
  const few = await listen(marking(500))
  await expect.poll(() => few.filter(({ Type }) => Type === 'update')).toHaveLength(500)
  expect(few.filter(({ Type }) => Type === 'prune')).toEqual([])
  const many = await listen(marking(501))
  await expect.poll(() => many.filter(({ Type }) => Type !== 'stats')).toEqual([{ Type: 'prune', Data: null }])
})
