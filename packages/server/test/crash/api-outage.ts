import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, vi } from 'vitest'
import { startChild } from '../support/child-server.ts'
import { freePort } from '../support/free-port.ts'
import { makeTeam } from '../support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { listEverything, unprocessedMail } from '../support/stored-mail.ts'

export const MAILS = 50
/** The worker checks for a lost API every 5 seconds; a busy machine may need longer. */
export const RECOVERY_MS_MAX = 60_000

/** API and worker as two programs that share only a secret, and a team that owns `qa.test`. */
export async function startApart() {
  const apiPort = await freePort()
  const apiSettings = { DATA_DIR: temporaryFolder(), PORT: String(apiPort) }
  const url = `http://127.0.0.1:${apiPort}`
  const inbox = temporaryFolder()

  async function createTeam(name: string, domain: string): Promise<Mailhatch> {
    return new Mailhatch({ url, apiKey: await makeTeam(apiSettings, { name, domain, plan: 'enterprise' }) })
  }

  const sdk = await createTeam('QA', 'qa.test')
  const worker = await startChild({
    program: 'worker',
    environment: {
      DATA_DIR: inbox,
      WEBHOOK_URL: `${url}/webhooks/inbox`,
      WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
    },
  })
  const client = await SmtpClient.connect(worker.smtpPort)
  return {
    sdk,
    worker,
    createTeam,
    startApi: () => startChild({ program: 'api', environment: apiSettings }),
    waitingMail: () => unprocessedMail(join(inbox, 'inbox.db')),
    send: (to: string) => client.send({ to, raw: Buffer.from(`Subject: to ${to}\r\n\r\nhello\r\n`) }),
  }
}

/** Stops the API, sends mail, starts the API again. Resolves to the milliseconds until all mail is announced. */
export async function surviveOutage({
  end,
  attemptsMin,
}: {
  end: 'stop' | 'kill'
  /** The API stays down until every mail has had this many attempts. */
  attemptsMin: number
}): Promise<number> {
  const { sdk, worker, startApi, waitingMail, send } = await startApart()
  const api = await startApi()
  expect(await send('box+before@qa.test')).toMatch(/^250 /)
  await sdk.messages.waitFor({ tag: 'before' })
  // Until the worker has the response, which it could not get any more.
  await vi.waitUntil(() => waitingMail().length === 0, { timeout: RECOVERY_MS_MAX })
  await api[end]()

  const tags = Array.from({ length: MAILS }, (_, number) => `down${number}`)
  for (const tag of tags) expect(await send(`box+${tag}@qa.test`)).toMatch(/^250 /)
  const leastAttempts = () => Math.min(...waitingMail().map(({ attempts }) => attempts))
  await vi.waitUntil(() => leastAttempts() >= attemptsMin, { timeout: 2 * RECOVERY_MS_MAX, interval: 200 })
  expect(tagsOf(waitingMail())).toEqual(tags.toSorted())

  await startApi()
  const backAt = performance.now()
  await vi.waitUntil(() => waitingMail().length === 0, { timeout: RECOVERY_MS_MAX, interval: 50 })
  const recoveryMs = performance.now() - backAt
  const messages = await listEverything(sdk)
  expect(tagsOf(messages)).toEqual(['before', ...tags].sort())
  expect(worker.process.exitCode).toBeNull()
  return recoveryMs
}

function tagsOf(mails: { tag: string | null }[]): string[] {
  return mails.map(({ tag }) => tag ?? '').sort()
}
