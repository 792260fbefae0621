import { accept, delay, Mailhatch, reject, slow, type Step } from '@mailhatch/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { checkCrossTalk } from './scenario-crosstalk.ts'
import { API_KEY, startChild } from './support/child-server.ts'
import { temporaryFolder } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'

const SCRIPTED = 200
const PLAIN = 50

async function start() {
  const { apiUrl, smtpPort } = await startChild({ environment: { DATA_DIR: temporaryFolder(), RATE_LIMIT: 'off' } })
  return { sdk: new Mailhatch({ url: apiUrl, apiKey: API_KEY }), smtpPort }
}

test('200 scripted addresses and 50 plain ones at once do not affect each other', async () => {
  await checkCrossTalk(await start(), { scripted: SCRIPTED, plain: PLAIN })
})

/** Each lasts for all rounds. */
const STEPS: Step[] = [
  accept(),
  reject(451, { at: 'data' }),
  reject(554, { at: 'after-data' }),
  delay('50ms'),
  slow(50_000),
]
const ROUNDS = 9
/** Per connection and round. */
const PLAIN_MAILS = 40
const OTHER_MAILS = 2
/** Plain mail is as fast, but for the noise of a quiet machine. */
const RATIO_MIN = 0.95

test('mail for 50 plain addresses is as fast beside 200 scripted addresses as beside 200 other plain ones', async () => {
  const { sdk, smtpPort } = await start()
  const inboxes = await Promise.all(Array.from({ length: SCRIPTED }, () => sdk.addresses.create()))
  await Promise.all(inboxes.map((inbox, index) => inbox.script([STEPS[index % STEPS.length]!])))
  const plain = await connectAll(
    smtpPort,
    inboxes.slice(0, PLAIN).map((inbox) => inbox.alias('plain')),
  )
  // The same mail for the others, so that the ratio is about their scripts and not about the load.
  const others = {
    alone: [],
    'beside plain': await connectAll(
      smtpPort,
      inboxes.map((inbox) => inbox.alias('other')),
    ),
    'beside scripted': await connectAll(
      smtpPort,
      inboxes.map(({ address }) => address),
    ),
  }
  const rates: Record<string, number[]> = { alone: [], 'beside plain': [], 'beside scripted': [] }
  for (let round = 0; round < ROUNDS; round++) {
    const kinds = Object.entries(others)
    // What comes later in a round has more mail stored before it.
    for (const [kind, senders] of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const beside = Promise.all(senders.map((send) => send(OTHER_MAILS)))
      const startedAt = performance.now()
      const replies = (await Promise.all(plain.map((send) => send(PLAIN_MAILS)))).flat()
      rates[kind]!.push(replies.length / ((performance.now() - startedAt) / 1_000))
      expect(replies.filter((reply) => !reply.startsWith('250 '))).toEqual([])
      await beside
    }
  }
  const middle = (kind: string) => rates[kind]!.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)]!
  for (const kind of Object.keys(rates)) console.info(`plain mail ${kind}: ${Math.round(middle(kind))} per second`)
  const ratio = middle('beside scripted') / middle('beside plain')
  console.info(`ratio ${ratio.toFixed(3)}`)
  expect(ratio).toBeGreaterThanOrEqual(RATIO_MIN)
})

/** A connection per address, and what sends so many mails over it. */
function connectAll(smtpPort: number, addresses: string[]): Promise<((mails: number) => Promise<string[]>)[]> {
  return Promise.all(
    addresses.map(async (to) => {
      const client = await SmtpClient.connect(smtpPort)
      onTestFinished(() => client.close())
      const raw = Buffer.from(`Subject: Hello\r\n\r\n${'text\r\n'.repeat(200)}`)
      return async (mails: number) => {
        const replies: string[] = []
        for (let mail = 0; mail < mails; mail++) replies.push(await client.send({ to, raw }))
        return replies
      }
    }),
  )
}
