import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { afterTheFile } from '../support/file-life.ts'
import { administer, freshDatabase } from '../support/postgres.ts'
import { startReplicas, type Replicas } from './replicas.ts'
import { END_LISTENERS, TELL_AGAIN, TELL_NOTHING, timeToHear } from './wake.ts'

// How late they are is measured in wake.long.test.ts.
let databaseUrl: string
let replicas: Replicas
const whenOver = afterTheFile()
beforeAll(async () => {
  databaseUrl = await freshDatabase()
  replicas = await startReplicas(databaseUrl, { whenOver })
})

test('a wait and a stream on one replica receive mail announced to another', async () => {
  for (const tag of ['a', 'b', 'c']) await timeToHear(replicas, tag)
})

test('with every notification lost, both receive it', async () => {
  onTestFinished(() => administer(databaseUrl, TELL_AGAIN))
  await administer(databaseUrl, TELL_NOTHING)
  const times: number[] = []
  for (const tag of ['lost-a', 'lost-b', 'lost-c', 'lost-d', 'lost-e', 'lost-f'])
    times.push(await timeToHear(replicas, tag))
  // The notifications were lost: some had to wait for the poll, which runs once a second.
  expect(Math.max(...times)).toBeGreaterThan(100)
})

test('listeners whose connections end repeatedly lose nothing and reconnect', async () => {
  for (const tag of ['ended-a', 'ended-b', 'ended-c']) {
    await administer(databaseUrl, END_LISTENERS)
    await timeToHear(replicas, tag)
  }
})
