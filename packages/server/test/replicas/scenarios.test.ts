import { accept, Mailhatch, reject } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { sendTo } from '../scenario-workers.ts'
import { startWorker } from '../settled/workers-apart.ts'
import { freshDatabase } from '../support/postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { startReplicas } from './replicas.ts'

const MAILS = 120

test('a scenario is in force at the workers of all replicas, and each step is used exactly as often as it says', async () => {
  const { urls, key } = await startReplicas(await freshDatabase(), { count: 2 })
  const workers = await Promise.all(urls.map((url) => startWorker(url, temporaryFolder())))
  const [one, other] = urls.map((url) => new Mailhatch({ url, apiKey: key }))
  for (const [sdk, worker, to] of [
    [one!, workers[1]!, 'qa+one@qa.test'],
    [other!, workers[0]!, 'qa+other@qa.test'],
  ] as const) {
    expect(await sendTo(worker, to)).toBe(250)
    // Resolves after `activeInMs`, which is a second.
    const script = await sdk.scenarios.create(to, [reject(451)])
    await expect.poll(() => sendTo(worker, to), { timeout: 10_000 }).toBe(451)
    await script.end()
    expect(await sendTo(worker, to)).toBe(250)
  }

  const to = 'qa+many@qa.test'
  const script = await one!.scenarios.create(to, [reject(451).times(50), reject(452).times(40), accept()])
  for (const worker of workers) await expect.poll(() => sendTo(worker, to), { timeout: 10_000 }).toBe(451)
  const used = (await script.state()).mails
  const seen = await Promise.all(Array.from({ length: MAILS }, (_, index) => sendTo(workers[index % 2]!, to)))
  const count = (code: number) => seen.filter((each) => each === code).length
  expect([count(451), count(452), count(250)]).toEqual([50 - used, 40, MAILS - 90 + used])
  // Each replica sees what the other has counted.
  for (const sdk of [one!, other!])
    expect(await sdk.scenarios.get(script.id)).toMatchObject({
      mails: MAILS + used,
      mailsPerStep: [50, 40, MAILS - 90 + used],
    })
})
