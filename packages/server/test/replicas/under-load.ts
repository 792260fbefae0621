import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { MessageSummary } from '@mailhatch/sdk'
import { expect, vi } from 'vitest'
import type { Answer, Replicas } from './replicas.ts'

const WRITERS = 6
const WAITERS = 6
/** The timeout of a client, after which it sends the request to another replica. */
const ANSWER_MS_MAX = 4_000
const RETRY_MS = 100
const WAIT_SECONDS = 2
/** Between two announcements of a client, which leaves the machine time for other things. */
const PAUSE_MS = 50
/** What clients get done before and after a failure, so that there is a load to disturb. */
const LOAD = { acknowledged: 30, waits: 6 }
/** A load that does not get on ends with a message. */
const LOAD_MS_MAX = 60_000

export type LoadReport = {
  /** Announcements that a replica accepted with 200. */
  acknowledged: number
  lost: number
  doubled: number
  /** Existing messages, and the message count of the team. */
  stored: number
  messageCount: number
  /** Waits that returned their message. */
  waits: number
  /** How often a client had to repeat a request. */
  retries: number
  /** Responses that a client must never get, whatever happens behind the API. */
  unexpected: string[]
  /** The longest time without an acknowledged announcement. */
  longestSilenceMs: number
}

/**
 * Announces mail and waits for it on all replicas, like correct clients, while `disruption` runs. Its argument resolves when
 * the clients have got some more done.
 */
export async function underLoad(
  replicas: Replicas,
  disruption: (moreLoad: () => Promise<void>) => Promise<void>,
): Promise<LoadReport> {
  const { announce, get } = replicas
  const acknowledged: string[] = []
  const unexpected: string[] = []
  let retries = 0
  let waits = 0
  let isOver = false
  let lastAt = performance.now()
  let longestSilenceMs = 0

  /** Requests one replica after another until `isDone`. A request without a response is repeated. */
  async function insist(
    question: (url: string) => Promise<Answer>,
    isDone: (answer: Answer) => boolean,
  ): Promise<Answer> {
    for (;;) {
      const url = replicas.urls[randomInt(replicas.urls.length)]!
      const answer = await Promise.race([question(url), delay(ANSWER_MS_MAX, null)]).catch(() => null)
      if (answer && isDone(answer)) return answer
      if (answer && ![503, 404].includes(answer.status))
        unexpected.push(`${answer.status} ${JSON.stringify(answer.body)}`)
      retries++
      if (answer?.status !== 404) await delay(RETRY_MS)
    }
  }

  async function write(): Promise<void> {
    while (!isOver) {
      const id = randomUUID()
      await insist(
        (url) => announce(url, { id, tag: id, mailbox: 'qa' }),
        ({ status }) => status === 200,
      )
      acknowledged.push(id)
      const now = performance.now()
      longestSilenceMs = Math.max(longestSilenceMs, now - lastAt)
      lastAt = now
      await delay(PAUSE_MS)
    }
  }

  /** Waits for mail that is announced during the wait. */
  async function wait(): Promise<void> {
    while (!isOver) {
      const id = randomUUID()
      const waiting = insist(
        (url) => get(url, `/v1/messages/latest?tag=${id}&wait=${WAIT_SECONDS}`),
        ({ status }) => status === 200,
      )
      await insist(
        (url) => announce(url, { id, tag: id, mailbox: 'qa' }),
        ({ status }) => status === 200,
      )
      acknowledged.push(id)
      const { body } = await waiting
      if ((body as unknown as { data: MessageSummary }).data.id === id) waits++
      else unexpected.push('the wait was answered with another message')
      await delay(PAUSE_MS)
    }
  }

  async function moreLoad(): Promise<void> {
    const wanted = { acknowledged: acknowledged.length + LOAD.acknowledged, waits: waits + LOAD.waits }
    const isDone = () => acknowledged.length >= wanted.acknowledged && waits >= wanted.waits
    await vi.waitUntil(isDone, { timeout: LOAD_MS_MAX, interval: 20 })
  }

  const load = [...Array.from({ length: WRITERS }, write), ...Array.from({ length: WAITERS }, wait)]
  await disruption(moreLoad).finally(() => (isOver = true))
  await Promise.all(load)

  const stored = await storedIds(replicas)
  const counts = Map.groupBy(stored, (id) => id)
  const me = await get(replicas.urls[0]!, '/v1/me')
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((id) => !counts.has(id)).length,
    doubled: [...counts.values()].filter((times) => times.length > 1).length,
    stored: stored.length,
    messageCount: (me.body as unknown as { data: { messageCount: number } }).data.messageCount,
    waits,
    retries,
    unexpected,
    longestSilenceMs: Math.round(longestSilenceMs),
  }
}

export function expectNothingLost(report: LoadReport): void {
  console.info(report)
  expect(report).toMatchObject({ lost: 0, doubled: 0, unexpected: [], messageCount: report.stored })
  // There was something to lose.
  expect(report.acknowledged).toBeGreaterThan(50)
  expect(report.waits).toBeGreaterThan(10)
}

async function storedIds({ get, urls }: Replicas): Promise<string[]> {
  const ids: string[] = []
  for (let after = 'c0', hasMore = true; hasMore;) {
    const { body } = await get(urls[0]!, `/v1/messages?after=${after}&limit=200`)
    const page = body as unknown as { data: MessageSummary[]; cursor: string; has_more: boolean }
    ids.push(...page.data.map(({ id }) => id))
    after = page.cursor
    hasMore = page.has_more
  }
  return ids
}
