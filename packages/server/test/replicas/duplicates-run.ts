import { randomUUID } from 'node:crypto'
import { startReplicas } from './replicas.ts'

const TIMES = 10
/** Ids that are announced at the same time, ten times each. */
const AT_ONCE = 20

/** Posts each announcement ten times at once to three replicas. `wrong` lists unexpected responses. */
export async function announceRepeatedly(databaseUrl: string, ids: number) {
  const { urls, get, announce } = await startReplicas(databaseUrl)
  const left = Array.from({ length: ids }, () => randomUUID())
  const wrong: string[] = []

  async function announceSome(): Promise<void> {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const posts = Array.from({ length: TIMES }, (_, time) => announceUntilTaken(urls[time % urls.length]!, id))
      const outcomes = (await Promise.all(posts)).map(({ status, body }) => `${status} ${String(body['status'])}`)
      const expected = ['200 stored', ...Array.from({ length: TIMES - 1 }, () => '200 duplicate')]
      if (outcomes.sort().join() !== expected.sort().join()) wrong.push(outcomes.join())
    }
  }

  /** On a busy machine a replica may be overloaded. The worker retries then, too. */
  async function announceUntilTaken(url: string, id: string) {
    for (;;) {
      const answer = await announce(url, { id, mailbox: 'qa' })
      if (answer.status !== 503) return answer
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, announceSome))
  const everywhere = await Promise.all(urls.map((url) => get(url, '/v1/me')))
  return { wrong, me: everywhere.map(({ body }) => body) }
}
