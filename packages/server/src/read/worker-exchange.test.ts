import { expect, onTestFinished, test } from 'vitest'
import { NOTHING_ON_ITS_WAY, type TransitAnswer } from '../domain/transit.ts'
import { createWorkerExchange } from './worker-exchange.ts'

const RANGE = { domain: 'mailhatch.test', mailbox: 'qa', tags: null }
const NOTHING: TransitAnswer = { ...NOTHING_ON_ITS_WAY, setAside: 0, isComplete: true }
const ONE_OPEN: TransitAnswer = { ...NOTHING, transactions: 1 }

function startExchange() {
  const exchange = createWorkerExchange({
    broadcasts: { isShared: false, onMessage: () => () => {}, send: async () => true },
  })
  onTestFinished(() => exchange.close())
  const poll = (worker: string, answers: (TransitAnswer & { id: string })[] = [], holdMs = 0) =>
    exchange.poll({ worker, holdMs, answers, onGone: () => {} })
  return { exchange, poll }
}

test('who asks hears of a worker whose mail is no longer on its way, but not of one that had none', async () => {
  const { exchange, poll } = startExchange()
  await poll('w1')
  await poll('w2')
  let emptied = 0
  const asking = exchange.ask(RANGE, { waitMs: 10_000, onEmptied: () => (emptied += 1) })
  const [question] = await poll('w1', [], 10_000)
  const { id } = question!
  await poll('w1', [{ ...ONE_OPEN, id }])
  await poll('w2', [{ ...NOTHING, id }])
  expect((await asking).onItsWay).toEqual({ ...NOTHING_ON_ITS_WAY, transactions: 1 })
  expect(emptied).toBe(0)
  await poll('w1', [{ ...NOTHING, id }])
  expect(emptied).toBe(1)
})

test('a second answer counts while others are missing', async () => {
  const { exchange, poll } = startExchange()
  await poll('w1')
  await poll('w2')
  const asking = exchange.ask(RANGE, { waitMs: 10_000 })
  const [question] = await poll('w1', [], 10_000)
  const { id } = question!
  await poll('w1', [{ ...ONE_OPEN, id }])
  await poll('w1', [{ ...NOTHING, id }])
  await poll('w2', [{ ...NOTHING, id }])
  expect((await asking).onItsWay).toEqual(NOTHING_ON_ITS_WAY)
})
