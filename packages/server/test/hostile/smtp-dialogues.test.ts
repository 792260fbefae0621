import { expect, test } from 'vitest'
import { seedsOf } from '../prove/seeds.ts'
import { startChild } from '../support/child-server.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { runDialogues } from './smtp-run.ts'

const SEED = Number(process.env['SMTP_SEED'] ?? 1)
/** The run of `npm run prove` has 10,000 of each. */
const DIALOGUES = 40

async function start(nodeArguments: string[] = []) {
  const dataDir = temporaryFolder()
  const environment = { DATA_DIR: dataDir, SMTP_STARTTLS: 'self-signed' }
  return { dataDir, server: await startChild({ environment, nodeArguments }) }
}

test.each([
  ['plain', false],
  ['TLS', true],
])(`${DIALOGUES} SMTP dialogues create only the messages that they contain: %s (seed ${SEED})`, async (_, isTls) => {
  const { server, dataDir } = await start()
  const run = await runDialogues({ server, dataDir, seed: SEED, count: DIALOGUES, isTls })
  expect(run).toMatchObject({
    dialogues: DIALOGUES,
    unexplainedReplies: [],
    injectedReplies: [],
    plainReplies: [],
    unanswered: [],
    secondMessages: [],
    missing: [],
    hasExited: false,
    encrypted: isTls ? DIALOGUES : 0,
  })
  expect(run.acknowledged).toBeGreaterThan(DIALOGUES / 3)
  expect(run.injected).toBeGreaterThanOrEqual(isTls ? DIALOGUES / 4 : 0)
  expect(server.complaints()).toBe('')
})

test.each(seedsOf('smtp'))('dialogue $number of seed $seed: $why', async ({ seed, number: first }) => {
  const { server, dataDir } = await start()
  const run = await runDialogues({ server, dataDir, seed, first, count: 1, isTls: true })
  const nothing = { unexplainedReplies: [], injectedReplies: [], unanswered: [], secondMessages: [], missing: [] }
  expect(run).toMatchObject({ ...nothing, hasExited: false, encrypted: 1 })
})

test('control: a server without its guards creates other messages, and answers injected commands', async () => {
  const { server, dataDir } = await start(preload('hostile/without-smtp-guards.ts'))
  const run = await runDialogues({ server, dataDir, seed: SEED, count: DIALOGUES, isTls: true, replyMsMax: 1_000 })
  expect(run.canaries).toBeGreaterThan(0)
  expect(run.unexplainedReplies.length).toBeGreaterThan(0)
  expect(run.injectedReplies.length).toBeGreaterThan(0)
})

test('control: replies to injected commands that arrive during the handshake are found', async () => {
  const { server, dataDir } = await start(preload('hostile/executes-before-tls.ts'))
  const run = await runDialogues({ server, dataDir, seed: SEED, count: DIALOGUES / 2, isTls: true, replyMsMax: 1_000 })
  expect(run.plainReplies.length).toBeGreaterThan(0)
})
