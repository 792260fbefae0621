import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Mailhatch, type MessageDetail } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { API_KEY, startChild } from './child-server.ts'
import { temporaryFolder } from './server.ts'
import { SmtpClient } from './smtp-client.ts'

const CONNECTIONS = 8
const TIMEOUT = { timeout: 120_000 }

type Counts = {
  waits: number
  /** Tests whose mail arrives before they wait. */
  early: number
  /** Tests whose mail arrives while they start to wait. */
  atOnce: number
}

/** Waits that must not miss their mail, whenever it arrives. */
export function describeWaitRaces({ waits, early, atOnce }: Counts): void {
  test(
    `${waits} waiting tests each get their own new mail, and so do ${early} whose mail arrived first`,
    TIMEOUT,
    async () => {
      const { sdk, tags, sendAll, wait, cursor } = await startWithOlderMail(waits + early)
      await sendAll(tags.slice(0, early), 'new')
      const held = tags.map((tag) => wait(tag, cursor))
      await Promise.all(held.map(({ asked }) => asked))
      // The last request, on its own connection, handled by the same loop: by then the others are held.
      await sdk.me()
      await sendAll(tags.slice(early), 'new')
      const subjects = await Promise.all(held.map(({ subject }) => subject))
      expect(subjects).toEqual(tags.map((tag) => `new ${tag}`))
    },
  )

  test('mail that arrives at the moment its test starts to wait is not missed', TIMEOUT, async () => {
    const { tags, sendAll, wait, cursor } = await startWithOlderMail(atOnce)
    const sending = sendAll(tags, 'new')
    const order = shuffled(tags)
    const subjects: Promise<string>[] = []
    for (const tag of order) {
      const { asked, subject } = wait(tag, cursor)
      subjects.push(subject)
      await asked
    }
    await sending
    expect(await Promise.all(subjects)).toEqual(order.map((tag) => `new ${tag}`))
  })
}

/** A server on which mail for every tag has already come in once, and the cursor behind all that. */
async function startWithOlderMail(count: number) {
  const server = await startChild({ environment: { DATA_DIR: temporaryFolder() } })
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const tags = Array.from({ length: count }, (_, number) => `t${number}`)
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  onTestFinished(() => agent.destroy())

  async function sendAll(tagsToSend: string[], subject: string): Promise<void> {
    const left = shuffled(tagsToSend)
    const connections = Array.from({ length: CONNECTIONS }, async () => {
      const client = await SmtpClient.connect(server.smtpPort)
      for (let tag = left.pop(); tag !== undefined; tag = left.pop()) {
        const raw = Buffer.from(`Subject: ${subject} ${tag}\r\n\r\nhello\r\n`)
        expect(await client.send({ to: `qa+${tag}@mailhatch.test`, raw })).toMatch(/^250 /)
      }
      client.close()
    })
    await Promise.all(connections)
  }

  /** `asked` resolves when the whole request was sent, `subject` when the response arrived. */
  function wait(tag: string, after: string): { asked: Promise<unknown>; subject: Promise<string> } {
    const url = `${server.apiUrl}/v1/messages/latest?tag=${tag}&after=${after}&wait=60`
    const question = request(url, { agent, headers: { authorization: `Bearer ${API_KEY}` } })
    const asked = once(question, 'finish')
    const answered = once(question, 'response')
    question.end()
    return { asked, subject: readSubject(answered) }
  }

  await sendAll(tags, 'old')
  await vi.waitUntil(async () => (await sdk.me()).messageCount === tags.length)
  return { sdk, tags, sendAll, wait, cursor: (await sdk.me()).cursor }
}

async function readSubject(answered: Promise<unknown[]>): Promise<string> {
  // The argument of a `response` listener.
  const [response] = (await answered) as [IncomingMessage]
  const body = await text(response)
  if (response.statusCode !== 200) return `${response.statusCode} ${body}`
  return (JSON.parse(body) as { data: MessageDetail }).data.subject
}

function shuffled<Item>(items: Item[]): Item[] {
  const result = [...items]
  for (let last = result.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other]!, result[last]!]
  }
  return result
}
