import { setTimeout as delay } from 'node:timers/promises'
import { expect, vi } from 'vitest'
import type { ownPostgres } from './own-postgres.ts'
import type { Replicas } from './replicas.ts'
import { underLoad, type LoadReport } from './under-load.ts'

/** The maximum recovery time after the database is back. */
const BACK_MS_MAX = 10_000

type Postgres = ReturnType<typeof ownPostgres>

/** Another replica takes its place. */
export function killReplica(replicas: Replicas): Promise<LoadReport> {
  return underLoad(replicas, async (moreLoad) => {
    await moreLoad()
    await replicas.all[2]!.kill()
    await moreLoad()
    replicas.all[2] = await replicas.start()
    replicas.urls[2] = replicas.all[2].apiUrl
    await moreLoad()
  })
}

export function pauseReplica(replicas: Replicas, pauseMs: number): Promise<LoadReport> {
  return underLoad(replicas, async (moreLoad) => {
    await moreLoad()
    replicas.all[2]!.process.kill('SIGSTOP')
    await delay(pauseMs)
    replicas.all[2]!.process.kill('SIGCONT')
    await moreLoad()
  })
}

/** Also returns the time from when the database accepted connections until every replica served again. */
export async function restartDatabase(
  postgres: Postgres,
  replicas: Replicas,
  how: 'stop' | 'kill',
): Promise<LoadReport & { backMs: number }> {
  let backMs = 0
  const report = await underLoad(replicas, async (moreLoad) => {
    await moreLoad()
    await postgres.restart(how, () => seeOutage(replicas))
    const backAt = performance.now()
    for (const url of replicas.urls) await untilServing(replicas, url)
    backMs = Math.round(performance.now() - backAt)
    await moreLoad()
  })
  return { ...report, backMs }
}

/** While the database is unavailable, clients get an error in the common format. */
async function seeOutage({ urls, get, announce }: Replicas): Promise<void> {
  const away = {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { code: 'database_unavailable', requestId: expect.any(String), error: expect.any(String) },
  }
  const troubles = ['the database cannot be read']
  const seen = urls.map((url) =>
    Promise.all([
      expect(get(url, '/health')).resolves.toMatchObject({ status: 200, body: { status: 'ok' } }),
      expect(get(url, '/ready')).resolves.toMatchObject({ status: 503, body: { status: 'not ready', troubles } }),
      expect(get(url, '/v1/me')).resolves.toMatchObject(away),
      expect(get(url, '/v1/messages/latest?wait=5')).resolves.toMatchObject(away),
      expect(get(url, '/v1/messages/stream')).resolves.toMatchObject(away),
      expect(announce(url)).resolves.toMatchObject(away),
    ]),
  )
  await Promise.all(seen)
}

async function untilServing({ get, announce }: Replicas, url: string): Promise<void> {
  const isServing = async () => {
    const answers = await Promise.all([get(url, '/ready'), get(url, '/v1/me'), announce(url, { mailbox: 'other' })])
    return answers.every(({ status }) => status === 200)
  }
  await vi.waitUntil(isServing, { timeout: BACK_MS_MAX, interval: 50 })
}
