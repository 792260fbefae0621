import { Agent, request as send } from 'node:http'
import type { SeededRandom } from '../support/seeded-random.ts'

/** A request that names ids of another team. */
export type IdRequest = { name: string; method: string; path: string; headers: Record<string, string>; body?: string }

type Kind = 'foreign' | 'absent'
type Answered = { text: string; microseconds: number }

/** Per kind and request. */
export const SAMPLES = 300
/** The first requests wait for caches and compilers. */
const WARM_UP = 20

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi
/** Its value has the same length for both kinds. An injected fault knows the kind by it; the product ignores it. */
export const KIND_HEADER = 'x-kind-of-id'
export const KIND_VALUES: Record<Kind, string> = { foreign: 'f', absent: 'a' }

export function namesIds(text: string): boolean {
  return text.search(UUID) >= 0
}

export type Comparison = {
  name: string
  isSameAnswer: boolean
  /** The probability that an id of another team takes longer than an absent one; 0.5 if they take the same time. */
  auc: number
  medianDifferenceMicroseconds: number
}

/** Sends the request with its ids and with absent ones, in random order over one connection, and compares the answers. */
export async function compareIds(
  url: string,
  request: IdRequest,
  { random, samples = SAMPLES }: { random: SeededRandom; samples?: number },
): Promise<Comparison> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: Record<Kind, number[]> = { foreign: [], absent: [] }
  const answers: Record<Kind, Set<string>> = { foreign: new Set(), absent: new Set() }
  for (let sample = -WARM_UP; sample < samples; sample++) {
    const order: Kind[] = random.chance(0.5) ? ['foreign', 'absent'] : ['absent', 'foreign']
    for (const kind of order) {
      const { text, microseconds } = await ask(url, written(request, kind, random), kind, agent)
      answers[kind].add(text)
      if (sample >= 0) times[kind].push(microseconds)
    }
  }
  agent.destroy()
  const all = new Set([...answers.foreign, ...answers.absent])
  return {
    name: request.name,
    isSameAnswer: all.size === 1 && answers.absent.size === 1,
    auc: aucOf(times.foreign, times.absent),
    medianDifferenceMicroseconds: median(times.foreign) - median(times.absent),
  }
}

/**
 * An absent id differs from the real one in eight digits near its end, so that both are near each other in any index. The
 * last four number a copy or an attempt. Both kinds are written in the same way, because a text that was just made takes
 * longer to send.
 */
function written(request: IdRequest, kind: Kind, random: SeededRandom): IdRequest {
  const middle = (id: string) =>
    Array.from(id.slice(-12, -4), (digit) => (kind === 'foreign' ? digit : random.below(16).toString(16))).join('')
  const write = (text: string) => text.replaceAll(UUID, (id) => id.slice(0, -12) + middle(id) + id.slice(-4))
  const { path, body } = request
  return { ...request, path: write(path), ...(body === undefined ? {} : { body: write(body) }) }
}

/** Status, headers and body without what is different in every answer: the request's id, the time and the ids themselves. */
function ask(url: string, { method, path, headers, body }: IdRequest, kind: Kind, agent: Agent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const startedAt = process.hrtime.bigint()
    const sent = {
      ...headers,
      [KIND_HEADER]: KIND_VALUES[kind],
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    }
    const outgoing = send(url + path, { method, agent, headers: sent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const microseconds = Number(process.hrtime.bigint() - startedAt) / 1_000
        const { date: _date, 'x-request-id': _id, ...kept } = response.headers
        const text = `${response.statusCode} ${JSON.stringify(kept)} ${Buffer.concat(chunks).toString()}`
        resolve({ text: text.replaceAll(UUID, '<id>').replaceAll(/"requestId":"[^"]*"/g, ''), microseconds })
      })
    })
    outgoing.on('error', reject).end(body)
  })
}

/** The share of pairs in which the first is larger, as in the Mann-Whitney test. Equal ones count half. */
function aucOf(first: number[], second: number[]): number {
  const points = first.map((one) => second.reduce((sum, other) => sum + (one > other ? 1 : one === other ? 0.5 : 0), 0))
  return points.reduce((sum, point) => sum + point, 0) / (first.length * second.length)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
