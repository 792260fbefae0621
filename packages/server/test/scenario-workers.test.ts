import { accept, reject } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { sendTo, startApart } from './scenario-workers.ts'

const WORKERS = 4
const MAILS = 120

test('several workers use each step as often as it says, and a script goes on after kill -9', async () => {
  const { sdk, script, startWorker } = await startApart()
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker()))
  await script('qa+many@qa.test', [reject(451).times(50), reject(452).times(40), accept()])
  const plain = Array.from({ length: WORKERS }, (_, index) => sendTo(workers[index]!, `qa+plain${index}@qa.test`))
  const seen = await Promise.all(
    Array.from({ length: MAILS }, (_, index) => sendTo(workers[index % WORKERS]!, 'qa+many@qa.test')),
  )
  const count = (code: number) => seen.filter((each) => each === code).length
  expect([count(451), count(452), count(250)]).toEqual([50, 40, MAILS - 90])
  expect(await Promise.all(plain)).toEqual(Array.from({ length: WORKERS }, () => 250))

  await script('qa+killed@qa.test', [reject(451).times(2), reject(550), accept()])
  expect(await sendTo(workers[0]!, 'qa+killed@qa.test')).toBe(451)
  await workers[0]!.kill()
  const next = await startWorker()
  const after: (number | null)[] = []
  for (let mail = 0; mail < 3; mail++) after.push(await sendTo(next, 'qa+killed@qa.test'))
  expect(after).toEqual([451, 550, 250])
  await expect
    .poll(async () => (await sdk.messages.list({ mailbox: 'qa', limit: 100 })).data.length, { timeout: 60_000 })
    .toBe(MAILS - 90 + WORKERS + 1)
})

test('no mail is accepted as usual while a worker does not know yet that a script was replaced or has ended', async () => {
  const { sdk, script, scriptAtOnce, startWorker } = await startApart()
  const worker = await startWorker()
  const to = 'qa+next@qa.test'
  await sdk.scenarios.create('qa@qa.test', [reject(453)], { match: 'prefix' })
  await script(to, [reject(450)])
  for (const code of [451, 452, 454]) {
    await scriptAtOnce(to, [reject(code)])
    expect(await sendTo(worker, to)).toBe(code)
  }
  const [exact] = (await sdk.scenarios.list()).filter(({ match }) => match === 'exact')
  await sdk.scenarios.delete(exact!.id)
  expect(await sendTo(worker, to)).toBe(453)
})
