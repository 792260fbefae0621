import { accept, limit, Mailhatch, reject, type Step } from '@mailhatch/sdk'
import { expect, onTestFinished, test } from 'vitest'
import { median } from '../../../bench/statistics.ts'
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

/** The mails that an address stores in a round, with a script or without. */
const STORED = 12
const ACCEPTED = Array.from({ length: STORED }, () => '250')

/**
 * What each mail of a round sees. Those that are refused come on top, so that both kinds of rounds store the same. None is delayed,
 * because that would leave plain mail more of the processor.
 */
const PLANS: { steps: Step[]; seen: string[] }[] = [
  { steps: [accept()], seen: ACCEPTED },
  { steps: [reject(451, { at: 'data' }), accept()], seen: ['451', ...ACCEPTED] },
  { steps: [reject(554, { at: 'after-data' }), accept()], seen: ['554', ...ACCEPTED] },
  { steps: [accept().times(5), accept()], seen: ACCEPTED },
  { steps: [limit(1_000, '1h')], seen: ACCEPTED },
]
/** Single rounds differ by a tenth, because garbage is collected in some of them. */
const ROUNDS = 11
/** Per connection and round: as many as the others, so that these send all the time. */
const PLAIN_MAILS = STORED
/** Plain mail is as fast, but for the noise of a quiet machine. */
const RATIO_MIN = 0.95

test('mail for 50 plain addresses is as fast beside 200 scripted addresses as without any script', async () => {
  const { sdk, smtpPort } = await start()
  const inboxes = await Promise.all(Array.from({ length: SCRIPTED }, () => sdk.addresses.create()))
  const planOf = (index: number) => PLANS[index % PLANS.length]!
  const plain = await connectAll(
    smtpPort,
    inboxes.slice(0, PLAIN).map((inbox) => inbox.alias('plain')),
  )
  const others = await connectAll(
    smtpPort,
    inboxes.map(({ address }) => address),
  )
  const codesOf = (replies: string[]) => replies.map((reply) => reply.slice(0, 3))

  /** Plain mails per second, while the other addresses get mail. `seen` is what the mails of each see. */
  async function measure(seen: string[][]): Promise<number> {
    const beside = Promise.all(others.map((send, index) => send(seen[index]!.length)))
    const startedAt = performance.now()
    const replies = (await Promise.all(plain.map((send) => send(PLAIN_MAILS)))).flat()
    const rate = replies.length / ((performance.now() - startedAt) / 1_000)
    expect(replies.filter((reply) => !reply.startsWith('250 '))).toEqual([])
    expect((await beside).map(codesOf)).toEqual(seen)
    return rate
  }

  const kinds = {
    without: () => measure(inboxes.map(() => ACCEPTED)),
    async beside() {
      const scripts = await Promise.all(inboxes.map((inbox, index) => inbox.script(planOf(index).steps)))
      const rate = await measure(inboxes.map((_, index) => planOf(index).seen))
      await Promise.all(scripts.map((script) => script.end()))
      return rate
    },
  }
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // What comes later in a round has more mail stored before it.
    const inTurn = round % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const)
    const rates = { without: 0, beside: 0 }
    for (const kind of inTurn) rates[kind] = await kinds[kind]()
    ratios.push(rates.beside / rates.without)
    console.info(`plain mails per second: ${Math.round(rates.without)}, beside scripts ${Math.round(rates.beside)}`)
  }
  const stored = ROUNDS * Object.keys(kinds).length * (SCRIPTED * STORED + PLAIN * PLAIN_MAILS)
  await expect.poll(async () => (await sdk.messages.count()).count).toBe(stored)
  console.info(`ratio, median of ${ROUNDS} rounds: ${median(ratios).toFixed(3)}`)
  expect(median(ratios)).toBeGreaterThanOrEqual(RATIO_MIN)
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
