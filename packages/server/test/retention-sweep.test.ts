import { createTransport, type SendMailOptions } from 'nodemailer'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../src/program/open-store.ts'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import type { Store } from '../src/store/store.ts'
import { reader } from './support/ask.ts'
import { withDatabase } from './support/journey-database.ts'
import { runForJson } from './support/program.ts'
import { serveIn, startServer, temporaryFolder } from './support/server.ts'
import { objectKeys } from './support/stored-mail.ts'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const SOON = { RETENTION_SWEEP_SECONDS: '1' }

/** A clock that the test moves forward. */
function createClock() {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    pass: (milliseconds: number) => void (ahead += milliseconds),
  }
}

async function startWithMail(environment: Record<string, string>) {
  const clock = createClock()
  const server = await startServer({ ...SOON, ...environment }, clock.now)
  await server.sendMail({
    to: 'orders+old@mailhatch.test',
    subject: 'old',
    text: 'See attachment',
    attachments: [{ filename: 'a.txt', content: 'bytes' }],
  })
  const asked = reader(server.url, server.apiKey)
  const { data: message } = await asked.latest({ tag: 'old', wait: 30 })
  // Two objects: raw mail and metadata.
  await expect
    .poll(() => objectKeys(server.dataDir).filter((key) => key.startsWith('messages/processed/')))
    .toHaveLength(1)
  return { ...server, ...asked, clock, message }
}

async function statuses({ url, apiKey, message }: { url: string; apiKey: string; message: { id: string } }) {
  const paths = [
    `/v1/messages/${message.id}`,
    `/v1/messages/${message.id}/raw`,
    `/v1/messages/${message.id}/attachments/0`,
    '/v1/messages/latest?tag=old',
    `/v1/messages?after_id=${message.id}`,
  ]
  const answers = await Promise.all(
    paths.map((path) => fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } })),
  )
  await Promise.all(answers.map((answer) => answer.arrayBuffer()))
  return answers.map(({ status }) => status)
}

const SHOWN = [200, 200, 200, 200, 200]
const GONE = [404, 404, 404, 404, 400]

describe.each([
  { plan: 'starter', days: 14 },
  { plan: 'pro', days: 90 },
])('limit: retention on $plan', ({ plan, days }) => {
  test(`a message disappears from every read after ${days} days, and its objects with the next sweep`, async () => {
    const server = await startWithMail({ DEFAULT_PLAN: plan })
    server.clock.pass(days * DAY_MS - MINUTE_MS)
    await server.sendMail({ to: 'orders+new@mailhatch.test', subject: 'new' })
    await server.latest({ tag: 'new', wait: 30 })
    expect(await statuses(server)).toEqual(SHOWN)
    expect((await server.me()).messageCount).toBe(2)

    server.clock.pass(2 * MINUTE_MS)
    expect(await statuses(server)).toEqual(GONE)
    expect(await server.subjects()).toEqual(['new'])
    expect((await server.me()).messageCount).toBe(1)
    await expect.poll(() => objectKeys(server.dataDir)).toHaveLength(2)
    expect(objectKeys(server.dataDir).some((key) => key.includes(server.message.id))).toBe(false)
    expect(await server.subjects()).toEqual(['new'])
    expect((await server.me()).messageCount).toBe(1)
  })
})

test('limit: retention on enterprise is the team’s own setting, from the moment it is set', async () => {
  const server = await startWithMail({})
  const { name } = (await server.me()).team
  server.clock.pass(400 * DAY_MS)
  expect(await statuses(server)).toEqual(SHOWN)
  const environment = { DATA_DIR: server.dataDir }
  const change = (what: string, to: string) => runForJson(['teams', what, name, to, '--json'], environment)
  await change('retention', '401')
  expect((await server.me()).team).toMatchObject({ plan: 'enterprise', retentionDays: 401 })
  expect(await statuses(server)).toEqual(SHOWN)
  await change('retention', '400')
  expect(await statuses(server)).toEqual(GONE)
  await expect.poll(() => objectKeys(server.dataDir)).toEqual([])
  await change('plan', 'pro')
  expect((await server.me()).team).toMatchObject({ plan: 'pro', retentionDays: 90 })
})

describe('the next start finishes what a crash interrupted', () => {
  async function startStopped() {
    const dataDir = temporaryFolder()
    const environment = { ...SOON, BOOTSTRAP_API_KEY: 'key-that-outlives-the-restart' }
    const first = await serveIn(dataDir, environment)
    const { url, sendMail } = clientOf(first)
    const asked = reader(url, environment.BOOTSTRAP_API_KEY)
    // One after the other: mail accepted a moment apart may become visible in either order.
    for (const [sent, subject] of ['one', 'two'].entries()) {
      await sendMail({ to: `${subject}@mailhatch.test`, subject })
      await expect.poll(() => asked.subjects()).toHaveLength(sent + 1)
    }
    await expect.poll(() => objectKeys(dataDir).filter((key) => key.startsWith('messages/unprocessed/'))).toEqual([])
    const { id: teamId } = (await asked.me()).team
    await first.close()
    return {
      dataDir,
      teamId,
      async change(work: (store: Store) => Promise<unknown>) {
        const config = readConfig('api', await withDatabase({ DATA_DIR: dataDir }))
        const store = await openStore(config, createLogger('silent', false))
        await work(store)
        await store.close()
      },
      async restart() {
        // Objects of a recent deletion are left to the request that deletes them.
        const second = await serveIn(dataDir, environment, () => Date.now() + 2 * MINUTE_MS)
        onTestFinished(() => second.close())
        return reader(clientOf(second).url, environment.BOOTSTRAP_API_KEY)
      },
    }
  }

  function clientOf({ apiPort, smtpPort }: { apiPort: number | null; smtpPort: number | null }) {
    const transport = createTransport({ host: '127.0.0.1', port: smtpPort! })
    return {
      url: `http://127.0.0.1:${apiPort}`,
      sendMail: (mail: SendMailOptions) => transport.sendMail({ from: 'sender@shop.example', ...mail }),
    }
  }

  test('a message that was deleted, but not its objects', async () => {
    const { dataDir, teamId, change, restart } = await startStopped()
    await change((store) => store.removeMessages(teamId, [1], Date.now()))
    expect(objectKeys(dataDir)).toHaveLength(4)
    const { subjects } = await restart()
    await expect.poll(() => objectKeys(dataDir)).toHaveLength(2)
    expect(await subjects()).toEqual(['two'])
  })

  test('a mailbox that was hidden, but not emptied', async () => {
    const { dataDir, teamId, change, restart } = await startStopped()
    await change(async (store) => {
      const mailbox = await store.findTeamMailbox({ teamId, name: 'one' })
      await store.hideMailbox({ teamId, id: mailbox!.id }, Date.now())
    })
    expect(objectKeys(dataDir)).toHaveLength(4)
    const { subjects, me } = await restart()
    expect(await subjects()).toEqual(['two'])
    expect((await me()).messageCount).toBe(1)
    await expect.poll(() => objectKeys(dataDir)).toHaveLength(2)
    expect((await me()).messageCount).toBe(1)
  })
})
