import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'

const ROUNDS = 30
/** Mail that is announced later than a deletion is a message by then. */
const LATER_MS = 100

/** The routes that a suite uses between tests, and how many messages a list says there are. */
const DOORS = [
  {
    compat: 'mailpit',
    list: '/api/v1/messages',
    all: '/api/v1/messages',
    count: (body: { total: number }) => body.total,
  },
  {
    compat: 'mailhog',
    list: '/api/v2/messages',
    all: '/api/v1/messages',
    count: (body: { total: number }) => body.total,
  },
  { compat: 'maildev', list: '/email', all: '/email/all', count: (body: unknown[]) => body.length },
]

test.each(DOORS)('$compat: mail that SMTP has accepted is in the list, and deleted with all others', async (door) => {
  const { compatUrl, smtpPort } = await startServer({ COMPAT: door.compat, COMPAT_PORT: '0' })
  const client = await SmtpClient.connect(smtpPort)
  onTestFinished(() => client.close())
  const counted = async () => door.count((await (await fetch(`${compatUrl}${door.list}`)).json()) as never)
  const counts: number[] = []
  const left: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const send = () =>
      client.send({ to: `qa+${round}@mailhatch.test`, raw: Buffer.from('Subject: Hello\r\n\r\nHello.\r\n') })
    expect(await send()).toMatch(/^250 /)
    counts.push(await counted())
    expect(await send()).toMatch(/^250 /)
    expect((await fetch(`${compatUrl}${door.all}`, { method: 'DELETE' })).status).toBe(200)
    if (round % 10 === 0) await pause(LATER_MS)
    left.push(await counted())
  }
  expect(counts).toEqual(counts.map(() => 1))
  expect(left).toEqual(left.map(() => 0))
})
