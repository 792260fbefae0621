import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Announcement } from '@mailhatch/sdk'
import { onTestFinished } from 'vitest'
import { announcement } from '../support/announce.ts'
import { spawnServer, type ChildOptions, type ChildServer } from '../support/child-server.ts'
import { makeTeam } from '../support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'

export const DOMAIN = 'qa.test'

export type Answer = { status: number; body: Record<string, unknown>; headers: IncomingMessage['headers'] }

export type Replicas = {
  all: ChildServer[]
  urls: string[]
  /** The key of the team that has `DOMAIN`. */
  key: string
  /** Starts another replica on the same database. */
  start(options?: Partial<ChildOptions>): Promise<ChildServer>
  get(url: string, path: string, signal?: AbortSignal): Promise<Answer>
  /** Like the worker. Fields that are not given are invented. */
  announce(url: string, changes?: Partial<Announcement>): Promise<Answer>
}

/** API processes that share only a database and a secret, and one team. */
export async function startReplicas(
  databaseUrl: string,
  { count = 3, whenOver = onTestFinished, ...options }: Partial<ChildOptions> & { count?: number } = {},
): Promise<Replicas> {
  const environment = {
    DATABASE_URL: databaseUrl,
    RATE_LIMIT: 'off',
    DATA_DIR: temporaryFolder(whenOver),
    ...options.environment,
  }
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  whenOver(() => agent.destroy())

  async function start(more: Partial<ChildOptions> = {}): Promise<ChildServer> {
    const settings = { ...environment, DATA_DIR: temporaryFolder(whenOver), ...more.environment }
    const server = spawnServer({ program: 'api', whenOver, ...options, ...more, environment: settings })
    await server.ready
    return server
  }

  async function send(
    url: string,
    method: string,
    headers: Record<string, string>,
    body?: string,
    signal?: AbortSignal,
  ) {
    const question = request(url, { agent, method, headers, ...(signal ? { signal } : {}) })
    question.end(body)
    // The argument of a `response` listener.
    const [response] = (await once(question, 'response')) as [IncomingMessage]
    const answer = await text(response)
    // Every response to these requests is a JSON object.
    return { status: response.statusCode!, headers: response.headers, body: JSON.parse(answer) as Answer['body'] }
  }

  const key = await makeTeam(environment, { name: 'QA', domain: DOMAIN, plan: 'enterprise' })
  // All at once, like a deployment.
  const all = await Promise.all(Array.from({ length: count }, () => start()))
  return {
    all,
    urls: all.map(({ apiUrl }) => apiUrl),
    key,
    start,
    get: (url, path, signal) => send(url + path, 'GET', { authorization: `Bearer ${key}` }, undefined, signal),
    announce: (url, changes = {}) =>
      send(
        `${url}/webhooks/inbox`,
        'POST',
        { authorization: `Bearer ${WEBHOOK_SECRET}`, 'content-type': 'application/json' },
        JSON.stringify(announcement({ domain: DOMAIN, ...changes })),
      ),
  }
}
