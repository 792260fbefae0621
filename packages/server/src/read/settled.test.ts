import { expect, test } from 'vitest'
import { NOTHING_ON_ITS_WAY } from '../domain/transit.ts'
import { beginSettling } from './settled.ts'

const VIEW = { teamId: 't', oldestReceivedAt: 0, filter: {} }
const RANGE = { domain: 'mailhatch.test', mailbox: 'qa', tags: null }
const NOTHING = { onItsWay: NOTHING_ON_ITS_WAY, setAside: 0, unknown: [] }
const ONE_OPEN = { ...NOTHING, onItsWay: { ...NOTHING_ON_ITS_WAY, transactions: 1 } }

/** A store with messages up to `position`, and workers that say what `next` is. */
async function begin(quietMs: number) {
  const state = { position: 0, next: ONE_OPEN, asked: 0, isGone: false, onAsked() {} }
  const proceed = () => {
    if (state.isGone) throw new Error('gone')
  }
  const settling = await beginSettling(
    {
      store: {
        async newestPosition() {
          if (state.isGone) throw new Error('the database is closed')
          return state.position
        },
        // Only whether there are any matters here.
        followMessages: async (_, { after, upTo }) => Array.from({ length: upTo - after }, () => ({}) as never),
      },
      exchange: {
        async ask() {
          state.asked += 1
          const answer = state.next
          state.onAsked()
          return answer
        },
      },
      now: Date.now,
    },
    { view: { ...VIEW, proceed }, range: RANGE, quietMs, waitMs: 0 },
  )
  return { state, settling }
}

test('mail that became a message after the workers were asked is not reported as on its way', async () => {
  const { state, settling } = await begin(0)
  expect(await settling.look()).toBe(null)
  // It is a message now, and what looks for it has not run since.
  state.position = 1
  state.next = NOTHING
  expect(await settling.giveUp()).toMatchObject({ position: 1, onItsWay: NOTHING_ON_ITS_WAY })
})

test('mail that becomes a message while the workers are asked is not reported as on its way', async () => {
  const { state, settling } = await begin(0)
  state.onAsked = () => {
    state.position = 1
    state.next = NOTHING
  }
  expect(await settling.look()).toBe(null)
  expect(await settling.giveUp()).toMatchObject({ position: 1, onItsWay: NOTHING_ON_ITS_WAY })
})

test('nothing is read for a client that goes while the workers are asked', async () => {
  const { state, settling } = await begin(0)
  state.onAsked = () => {
    state.isGone = true
  }
  await expect(settling.look()).rejects.toThrow('gone')
  await expect(settling.giveUp()).rejects.toThrow('gone')
})

test('without a new message, the workers are not asked again', async () => {
  const { state, settling } = await begin(0)
  expect(await settling.look()).toBe(null)
  expect(await settling.giveUp()).toMatchObject({ onItsWay: { transactions: 1 } })
  expect(state.asked).toBe(1)
})

test('workers that were not asked are asked when the time is up', async () => {
  const { state, settling } = await begin(10_000)
  expect(await settling.look()).toBe(null)
  expect(state.asked).toBe(0)
  expect(await settling.giveUp()).toMatchObject({ isSettled: false, onItsWay: { transactions: 1 } })
})
