import { expect, test } from 'vitest'
import { buildAngus } from '../support/mail-libraries.ts'
import { startPostfix } from '../support/postfix.ts'
import { startServer } from '../support/server.ts'
import { angus, postfix, smtplib } from './sender.ts'
import { stepRows } from './step-table.ts'
import { trySteps } from './try-steps.ts'

const PATIENCE_MS = 5_000

test('smtplib of Python meets every kind of step, and raises the right error', async () => {
  await trySteps(await startServer(), smtplib, PATIENCE_MS)
})

test('Angus Mail of Java meets every kind of step, and throws the right exception', async () => {
  await trySteps(await startServer(), angus(await buildAngus()), PATIENCE_MS)
})

test('Postfix tries again after temporary failures, and returns mail that is refused for good', async () => {
  const server = await startServer()
  const relay = await startPostfix({ relayPort: server.smtpPort, patienceMs: PATIENCE_MS })
  const from = await server.sdk.addresses.create()
  const sender = postfix(relay, from.address)
  await trySteps(server, sender, PATIENCE_MS)
  const bounced = stepRows(PATIENCE_MS)
    .flatMap(({ sights }) => sights.flatMap(sender.says))
    .filter((words) => words.startsWith('bounced'))
  expect(bounced).toHaveLength(3)
  for (const _ of bounced) {
    const notice = await from.waitFor({ subject: 'Undelivered Mail Returned to Sender' })
    expect(notice.text).toMatch(/554 5\.0\.0\s+Refused by a scenario/)
  }
  expect(await from.messages()).toHaveLength(bounced.length)
})
