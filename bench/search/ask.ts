import { Agent, get } from 'node:http'
import { percentile } from '../statistics.ts'
import { keyOf, type TeamName } from './fill.ts'
import type { Question } from './questions.ts'

/** Warm-up requests, which are not counted. */
const WARM_UP = 5

export type Answers = { p50: number; p95: number; max: number; found: number }

/** The URL and headers of a request, and how to count the messages in its response. */
export type Asking = { url: string; headers: Record<string, string>; countIn: (body: string) => number }

export function mailhatch(url: string, team: TeamName): Asking {
  return { url, headers: { authorization: `Bearer ${keyOf(team)}` }, countIn }
}

/** Sends requests sequentially over one connection; `found` is the median number of messages per response. */
export async function ask(asking: Asking, { path }: Pick<Question, 'path'>, count: number): Promise<Answers> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const found: number[] = []
  for (let number = -WARM_UP; number < count; number++) {
    const startedAt = performance.now()
    const body = await read(agent, asking.url + path(number + WARM_UP), asking.headers)
    if (number < 0) continue
    times.push(performance.now() - startedAt)
    found.push(asking.countIn(body))
  }
  agent.destroy()
  return {
    p50: percentile(times, 50),
    p95: percentile(times, 95),
    max: Math.max(...times),
    found: percentile(found, 50),
  }
}

function read(agent: Agent, url: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200) resolve(body)
        else reject(new Error(`${url} responded with ${response.statusCode}: ${body.slice(0, 200)}`))
      })
    }).on('error', reject)
  })
}

function countIn(body: string): number {
  // The documented response of the API.
  const { data } = JSON.parse(body) as { data: unknown }
  return Array.isArray(data) ? data.length : 1
}
