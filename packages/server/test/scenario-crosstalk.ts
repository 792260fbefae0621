import { accept, cutDuring, delay, limit, reject, type Mailhatch, type Step } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { isAccepted, SmtpClient } from './support/smtp-client.ts'
import { ConnectionLost } from './support/smtp-replies.ts'

const STORED = '250 2.0.0 Stored'
const CUT = 'cut'

/** Each with what three mails see, if no other address interferes. `own` is a text that only this address has. */
const PLANS: ((own: string) => { steps: Step[]; seen: string[] })[] = [
  (own) => ({
    steps: [reject(451, { text: own }), accept()],
    seen: [`451 4.0.0 ${own}`, STORED, STORED],
  }),
  (own) => ({
    steps: [accept(), reject(550, { at: 'data', text: own }), accept()],
    seen: [STORED, `550 5.0.0 ${own}`, STORED],
  }),
  (own) => ({
    steps: [reject(554, { at: 'after-data', text: own }).times(2), accept()],
    seen: [`554 5.0.0 ${own}`, `554 5.0.0 ${own}`, STORED],
  }),
  () => ({
    steps: [cutDuring('after-data'), accept(), cutDuring('rcpt')],
    seen: [CUT, STORED, CUT],
  }),
  () => ({
    steps: [delay('50ms'), limit(1, '1h')],
    seen: [STORED, STORED, '450 4.7.1 Too many mails, try again later'],
  }),
]
const MAILS = 3

type Server = { sdk: Mailhatch; smtpPort: number }

/** Mail for scripted addresses and, at the same time, for plain ones whose names begin like theirs. Each must see only its own script. */
export async function checkCrossTalk({ sdk, smtpPort }: Server, counts: { scripted: number; plain: number }) {
  const scripted = await Promise.all(
    Array.from({ length: counts.scripted }, async (_, index) => {
      const inbox = await sdk.addresses.create()
      const { steps, seen } = PLANS[index % PLANS.length]!(`Only for ${inbox.address}`)
      return { inbox, seen, to: inbox.address, script: await inbox.script(steps) }
    }),
  )
  const plain = scripted.slice(0, counts.plain).map(({ inbox }) => ({
    inbox,
    to: inbox.alias('plain'),
    seen: Array.from({ length: MAILS }, () => STORED),
  }))
  const all = [...scripted, ...plain]
  const seen = await Promise.all(all.map(({ to }) => sendInTurn(smtpPort, to)))
  expect(seen).toEqual(all.map((each) => each.seen))
  const states = await Promise.all(scripted.map(({ script }) => script.state()))
  expect(states.map(({ mails }) => mails)).toEqual(scripted.map(() => MAILS))

  const arrived = async () => {
    const messages = await Promise.all(scripted.map(({ inbox }) => inbox.messages()))
    return messages.flat().map(({ to, subject }) => `${to}: ${subject}`)
  }
  const accepted = all.flatMap(({ to, seen }) =>
    seen.flatMap((reply, index) => (isAccepted(reply) ? [`${to}: ${subjectOf(to, index)}`] : [])),
  )
  await expect.poll(async () => (await arrived()).toSorted()).toEqual(accepted.toSorted())
}

/** The replies to mails that are sent one after the other. */
async function sendInTurn(smtpPort: number, to: string): Promise<string[]> {
  const replies: string[] = []
  for (let index = 0; index < MAILS; index++) {
    const client = await SmtpClient.connect(smtpPort)
    const reply = client.send({ to, raw: Buffer.from(`Subject: ${subjectOf(to, index)}\r\n\r\ntext\r\n`) })
    replies.push(
      await reply.then(
        (text) => text.trimEnd(),
        (error: unknown) => {
          if (error instanceof ConnectionLost) return CUT
          throw error
        },
      ),
    )
    client.close()
  }
  return replies
}

function subjectOf(to: string, index: number): string {
  return `${to} ${index}`
}
