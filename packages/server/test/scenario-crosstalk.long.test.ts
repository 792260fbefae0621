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
const PLAIN_RATIO_MIN = 0.95
/** Scripted mail waits for its step, which must not take longer than the mail itself. Otherwise plain mail gains by it. */
const ALL_RATIO_MIN = 0.5

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

  /** Mails that are stored per second, while all addresses get mail. `seen` is what those for each of the others see. */
  async function measure(seen: string[][]): Promise<Rates> {
    const startedAt = performance.now()
    const perSecond = (mails: number) => mails / ((performance.now() - startedAt) / 1_000)
    const beside = Promise.all(others.map((send, index) => send(seen[index]!.length)))
    const replies = (await Promise.all(plain.map((send) => send(PLAIN_MAILS)))).flat()
    const plainRate = perSecond(replies.length)
    expect(replies.filter((reply) => !reply.startsWith('250 '))).toEqual([])
    expect((await beside).map(codesOf)).toEqual(seen)
    return { plain: plainRate, all: perSecond(replies.length + SCRIPTED * STORED) }
  }

  const kinds = {
    without: () => measure(inboxes.map(() => ACCEPTED)),
    async beside() {
      const scripts = await Promise.all(inboxes.map((inbox, index) => inbox.script(planOf(index).steps)))
      const rates = await measure(inboxes.map((_, index) => planOf(index).seen))
      await Promise.all(scripts.map((script) => script.end()))
      return rates
    },
  }
  const ratios: Rates[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // What comes later in a round has more mail stored before it.
    const inTurn = round % 2 === 0 ? (['without', 'beside'] as const) : (['beside', 'without'] as const)
    const rates = { without: { plain: 0, all: 0 }, beside: { plain: 0, all: 0 } }
    for (const kind of inTurn) rates[kind] = await kinds[kind]()
    const { without, beside } = rates
    ratios.push({ plain: beside.plain / without.plain, all: beside.all / without.all })
    console.info('mails per second without scripts', without, 'and beside them', beside)
  }
  const stored = ROUNDS * Object.keys(kinds).length * (SCRIPTED * STORED + PLAIN * PLAIN_MAILS)
  await expect.poll(async () => (await sdk.messages.count()).count).toBe(stored)
  const [ofPlain, ofAll] = [median(ratios.map(({ plain }) => plain)), median(ratios.map(({ all }) => all))]
  console.info(
    `ratios, medians of ${ROUNDS} rounds: ${ofPlain.toFixed(3)} of plain mail, ${ofAll.toFixed(3)} of all mail`,
  )
  expect(ofPlain).toBeGreaterThanOrEqual(PLAIN_RATIO_MIN)
  expect(ofAll).toBeGreaterThanOrEqual(ALL_RATIO_MIN)
})

/** Mails per second. */
type Rates = { plain: number; all: number }

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
