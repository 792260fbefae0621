import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Mailhatch, type Announcement, type MessageSummary } from '@mailhatch/sdk'
import { onTestFinished } from 'vitest'
import { announcement } from './support/announce.ts'
import { API_KEY, startChild } from './support/child-server.ts'
import { createFrameReader } from './support/event-stream.ts'
import { seededRandom, type SeededRandom } from './support/seeded-random.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

const TAGS = Array.from({ length: 8 }, (_, number) => `t${number}`)
const MAILBOXES = ['qa', 'shop']
const ANNOUNCERS = 4
/** The maximum time between two connections, while mail keeps arriving. */
const AWAY_MS_MAX = 200
/** After this time without a message, no more will arrive. */
const QUIET_MS = 60_000

type Sizes = { clients: number; reconnects: number; messages: number; seed: number }

/** Filters of clients, each with the messages that it should match. */
const FILTERS: { query: string; matches: (sent: Announcement) => boolean }[] = [
  { query: '', matches: () => true },
  { query: 'tag=t1', matches: ({ tag }) => tag === 't1' },
  { query: 'tags=t2,t3,none', matches: ({ tag }) => tag === 't2' || tag === 't3' },
  { query: 'mailbox=shop', matches: ({ mailbox }) => mailbox === 'shop' },
  { query: 'mailbox=qa%2Bt4', matches: ({ mailbox, tag }) => mailbox === 'qa' && tag === 't4' },
  { query: 'subject=7', matches: ({ subject }) => subject.includes('7') },
  { query: 'header=X-Third:yes', matches: ({ headers }) => headers.length > 0 },
  { query: 'text=odd', matches: ({ plainContent }) => plainContent === 'odd' },
]

export type ResumeReport = { seconds: number; connections: number; frames: number; wrong: string[] }

/**
 * Clients with different filters repeatedly lose their connection, often in the middle of a frame, while mail arrives. At
 * the end, the messages that each has seen are compared with those that were sent.
 */
export async function resumeUnderLoad({ clients, reconnects, messages, seed }: Sizes): Promise<ResumeReport> {
  const random = seededRandom(seed)
  const server = await startChild({ environment: { DATA_DIR: temporaryFolder() } })
  const { cursor } = await new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }).me()
  const sent = Array.from({ length: messages }, (_, number) => messageOf(number, random))
  const startedAt = performance.now()
  const following = Array.from({ length: clients }, (_, number) => {
    const { query, matches } = FILTERS[number % FILTERS.length]!
    const expected = sent.filter(matches).map(({ id }) => id)
    const url = `${server.apiUrl}/v1/messages/stream?${query}&after=${cursor}`
    const cuts = Array.from({ length: reconnects }, () => random.below(expected.length)).sort((a, b) => a - b)
    const client = createClient({ url, count: expected.length, cuts, random })
    return { client, expected, query }
  })
  onTestFinished(() => following.forEach(({ client }) => client.stop()))
  await announceAll(server.apiUrl, sent)
  await Promise.all(following.map(({ client }) => client.done))
  return {
    seconds: Math.round((performance.now() - startedAt) / 1000),
    connections: following.reduce((sum, { client }) => sum + client.connections(), 0),
    frames: following.reduce((sum, { client }) => sum + client.seen.length, 0),
    wrong: following.flatMap(({ client, expected, query }) =>
      client.faults(expected).map((fault) => `${query}: ${fault}`),
    ),
  }
}

function messageOf(number: number, random: SeededRandom): Announcement {
  return announcement({
    mailbox: random.pick(MAILBOXES),
    tag: random.pick(TAGS),
    subject: `number ${number} – grüße`,
    plainContent: number % 2 ? 'odd' : 'not so',
    headers: number % 3 ? [] : [{ name: 'X-Third', value: 'yes' }],
    // Received in any order.
    receivedAt: new Date(Date.UTC(2026, 2, 1) + random.below(1e9)).toISOString(),
  })
}

type ClientOptions = { url: string; count: number; cuts: number[]; random: SeededRandom }

/** Follows until it has seen `count` messages. After each number of `cuts` it disconnects and reconnects. */
function createClient({ url, count, cuts, random }: ClientOptions) {
  const seen: MessageSummary[] = []
  const ids: string[] = []
  const over = Promise.withResolvers<void>()
  let connections = 0
  let destroy = () => {}
  const quiet = setTimeout(over.resolve, QUIET_MS)

  function connect(): void {
    connections++
    const lastEventId = ids.at(-1)
    const question = request(url, {
      agent: false,
      headers: { authorization: `Bearer ${API_KEY}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
    })
    destroy = () => void question.destroy()
    // An incomplete frame is dropped when a connection ends.
    const read = createFrameReader(({ event, id, data }) => {
      if (event !== 'message.received') return
      quiet.refresh()
      seen.push(data as MessageSummary)
      ids.push(id!)
    })
    question.on('error', over.reject)
    question.on('response', (response) => {
      if (response.statusCode !== 200) over.reject(new Error(`The stream is answered with ${response.statusCode}`))
      response.on('error', () => {})
      response.on('data', (bytes: Buffer) => {
        if (question.destroyed) return
        const isCut = cuts.length > 0 && seen.length >= cuts[0]!
        try {
          read(isCut ? bytes.subarray(0, random.below(bytes.length)) : bytes)
        } catch (error) {
          over.reject(error)
        }
        const hasAll = seen.length >= count
        // A client that has everything does not wait for a ping to disconnect.
        if (isCut || (hasAll && cuts.length > 0)) void breakOff()
        else if (hasAll) over.resolve()
      })
    })
    question.end()
  }

  async function breakOff(): Promise<void> {
    cuts.shift()
    destroy()
    await sleep(random.below(AWAY_MS_MAX))
    connect()
  }

  function stop(): void {
    clearTimeout(quiet)
    destroy()
  }

  // Reported when it is awaited, which may be later.
  over.promise.catch(() => {})
  connect()
  return {
    seen,
    done: over.promise,
    stop,
    connections: () => connections,
    faults(expected: string[]): string[] {
      const positions = ids.map((id) => Number.parseInt(id.slice(1), 36))
      const got = new Set(seen.map(({ id }) => id))
      return [
        positions.some((position, index) => index > 0 && position <= positions[index - 1]!) && 'out of order',
        seen.some(({ cursor }, index) => cursor !== ids[index]) && 'another id than its cursor',
        got.size < seen.length && 'seen twice',
        expected.some((id) => !got.has(id)) && `${expected.length} expected, ${got.size} seen`,
        got.size > expected.length && `${got.size - expected.length} too many`,
        cuts.length > 0 && `${cuts.length} reconnects left`,
      ].filter((fault) => fault !== false)
    },
  }
}

async function announceAll(apiUrl: string, sent: Announcement[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: ANNOUNCERS })
  const left = sent.values()
  const announcers = Array.from({ length: ANNOUNCERS }, async () => {
    for (const message of left) await announce(agent, apiUrl, message)
  })
  await Promise.all(announcers)
  agent.destroy()
}

function announce(agent: Agent, apiUrl: string, message: Announcement): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${WEBHOOK_SECRET}`, 'content-type': 'application/json' }
    const question = request(`${apiUrl}/webhooks/inbox`, { agent, method: 'POST', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`An announcement is answered with ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
    question.on('error', reject)
    question.end(JSON.stringify(message))
  })
}
