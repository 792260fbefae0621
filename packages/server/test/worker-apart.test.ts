import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { createLogger } from '../src/observe/logger.ts'
import { startApi, startWorker } from '../src/program/node.ts'
import { ADMIN_TOKEN } from './support/admin-subject.ts'
import { reader, type Reader } from './support/ask.ts'
import { startChild } from './support/child-server.ts'
import { freePort } from './support/free-port.ts'
import { withDatabase } from './support/journey-database.ts'
import { makeTeam } from './support/made-team.ts'
import { run } from './support/program.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { SmtpClient } from './support/smtp-client.ts'
import { objectKeys } from './support/stored-mail.ts'

const RAW = [
  'Subject: With a file',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'See attachment',
  '--b',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'attached bytes',
  '--b--',
  '',
].join('\r\n')

/** Settings of an API and a worker that share no disk, and a team that owns `qa.test`. */
async function prepare() {
  const apiPort = await freePort()
  const workerPort = await freePort()
  const inbox = temporaryFolder()
  const apiSettings = await withDatabase({
    DATA_DIR: temporaryFolder(),
    PORT: String(apiPort),
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    WORKER_URL: `http://127.0.0.1:${workerPort}/`,
    ADMIN_TOKEN,
    LOG_LEVEL: 'silent',
    RETENTION_SWEEP_SECONDS: '1',
    RATE_LIMIT: 'off',
  })
  const workerSettings = {
    DATA_DIR: inbox,
    WORKER_PORT: String(workerPort),
    SMTP_PORT: '0',
    DISK_FREE_MIN: '0',
    LOG_LEVEL: 'silent',
    ADMIN_TOKEN,
    WEBHOOK_URL: `http://127.0.0.1:${apiPort}/webhooks/inbox`,
    WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
  }
  const key = await makeTeam(apiSettings, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
  const url = `http://127.0.0.1:${apiPort}`
  const fetchApi = (path: string, method = 'GET') =>
    fetch(`${url}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
  return { apiSettings, workerSettings, inbox, fetchApi, asked: reader(url, key) }
}

async function sendMail(smtpPort: number, to: string): Promise<void> {
  const client = await SmtpClient.connect(smtpPort)
  expect(await client.send({ to, raw: Buffer.from(RAW) })).toMatch(/^250 /)
}

const waitFor = async (asked: Reader, tag: string) => (await asked.latest({ tag, wait: 30 })).data

describe('an API without the bucket uses it through the worker', () => {
  test('raw mail and attachments are served, and deletions reach the bucket, between two processes', async () => {
    const { apiSettings, workerSettings, inbox, fetchApi, asked } = await prepare()
    await startChild({ program: 'api', environment: apiSettings })
    const worker = await startChild({ program: 'worker', environment: workerSettings })
    // Names that need escaping.
    for (const to of ['a/b+one@qa.test', '"two words+two"@qa.test']) await sendMail(worker.smtpPort, to)
    for (const tag of ['one', 'two']) {
      const { id } = await waitFor(asked, tag)
      const raw = await fetchApi(`/v1/messages/${id}/raw`)
      expect([raw.status, await raw.text()]).toEqual([200, RAW])
      const attachment = await fetchApi(`/v1/messages/${id}/attachments/0`)
      expect([attachment.status, await attachment.text()]).toEqual([200, 'attached bytes'])
      const stored = () => objectKeys(inbox).filter((name) => name.includes(id))
      // The worker has finished with it.
      await expect.poll(stored).toContainEqual(expect.stringMatching(/^messages\/processed\//))
      expect(stored()).toHaveLength(2)
      expect((await fetchApi(`/v1/messages/${id}`, 'DELETE')).status).toBe(200)
      expect(stored()).toEqual([])
      expect((await fetchApi(`/v1/messages/${id}/raw`)).status).toBe(404)
    }
  })

  test('while the worker is down raw mail is a 502; deleted messages disappear, and their objects follow later', async () => {
    const { apiSettings, workerSettings, inbox, fetchApi, asked } = await prepare()
    const log = createLogger('silent', false)
    let ahead = 0
    const api = await startApi(readConfig('api', apiSettings), log, { now: () => Date.now() + ahead })
    onTestFinished(() => api.close())
    const worker = await startWorker(readConfig('worker', workerSettings), log)
    await sendMail(worker.smtpPort!, 'plain+one@qa.test')
    await sendMail(worker.smtpPort!, 'plain+kept@qa.test')
    const { id } = await waitFor(asked, 'one')
    const kept = await waitFor(asked, 'kept')
    await worker.close()

    const raw = await fetchApi(`/v1/messages/${id}/raw`)
    expect([raw.status, await raw.json()]).toMatchObject([502, { code: 'worker_unreachable' }])
    const removal = await fetchApi(`/v1/messages/${id}`, 'DELETE')
    expect([removal.status, await removal.json()]).toEqual([200, { data: { id } }])
    expect((await fetchApi(`/v1/messages/${id}`)).status).toBe(404)
    const left = () => objectKeys(inbox).filter((name) => name.includes(id))
    expect(left()).toHaveLength(2)

    const again = await startWorker(readConfig('worker', workerSettings), log)
    onTestFinished(() => again.close())
    // Objects of a recent deletion are left to its request for a minute.
    ahead = 61_000
    await expect.poll(left).toEqual([])
    expect(await (await fetchApi(`/v1/messages/${kept.id}/raw`)).text()).toBe(RAW)
  })

  test('a wrong token is an outage, not a missing object', async () => {
    const { apiSettings, workerSettings, inbox, fetchApi, asked } = await prepare()
    const log = createLogger('silent', false)
    const other = { ...workerSettings, ADMIN_TOKEN: 'another-token-of-the-tests' }
    const api = await startApi(readConfig('api', apiSettings), log)
    onTestFinished(() => api.close())
    const worker = await startWorker(readConfig('worker', other), log)
    onTestFinished(() => worker.close())
    await sendMail(worker.smtpPort!, 'plain+one@qa.test')
    const { id } = await waitFor(asked, 'one')
    expect((await fetchApi(`/v1/messages/${id}/raw`)).status).toBe(502)
    expect((await fetchApi(`/v1/messages/${id}`, 'DELETE')).status).toBe(200)
    expect(objectKeys(inbox).filter((name) => name.includes(id))).toHaveLength(2)
  })

  test('WORKER_URL requires ADMIN_TOKEN', async () => {
    const { code, stderr } = await run(['api'], { DATA_DIR: temporaryFolder(), WORKER_URL: 'http://127.0.0.1:1' })
    expect(code).toBe(78)
    expect(stderr).toContain('ADMIN_TOKEN')
  })
})
