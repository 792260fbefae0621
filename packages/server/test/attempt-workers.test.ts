import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Mailhatch, reject } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { startChild } from './support/child-server.ts'
import { freePort } from './support/free-port.ts'
import { makeTeam } from './support/made-team.ts'
import { scrape, valueOf } from './support/scrape.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

function startWorker(apiUrl: string) {
  return startChild({
    program: 'worker',
    environment: {
      DATA_DIR: temporaryFolder(),
      WEBHOOK_URL: `${apiUrl}/webhooks/inbox`,
      WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
      DISK_FREE_MIN: '0',
      METRICS: 'on',
    },
  })
}

async function startApart() {
  const dataDir = temporaryFolder()
  const port = await freePort()
  const apiKey = await makeTeam({ DATA_DIR: dataDir }, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
  const startApi = () =>
    startChild({
      program: 'api',
      environment: { DATA_DIR: dataDir, PORT: String(port), INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET },
    })
  const api = await startApi()
  const worker = await startWorker(api.apiUrl)
  const transport = createTransport({ host: '127.0.0.1', port: worker.smtpPort })
  const send = (to: string) => transport.sendMail({ from: 'app@shop.test', to, text: 'Hello' })
  const sdk = new Mailhatch({ url: api.apiUrl, apiKey, retries: 0 })
  const outcomes = async (to: string) => (await sdk.attempts.list({ to })).data.map(({ outcome }) => outcome)
  return { api, startApi, sdk, send, outcomes }
}

test('a separate worker reports its attempts, those from an outage later, and each once', async () => {
  const { api, startApi, sdk, send, outcomes } = await startApart()
  await sdk.scenarios.create('qa+a@qa.test', [reject(451)])
  await expect(send('qa+a@qa.test')).rejects.toMatchObject({ responseCode: 451 })
  await send('qa+b@qa.test')
  await expect.poll(() => outcomes('qa'), { timeout: 10_000 }).toEqual(['accepted', 'refused'])

  await api.kill()
  // The worker does not need the API to accept mail, or to refuse it.
  await send('qa+c@qa.test')
  await send('qa+c@qa.test')
  await startApi()
  await expect.poll(() => outcomes('qa+c'), { timeout: 60_000 }).toEqual(['accepted', 'accepted'])
  await expect.poll(async () => (await sdk.messages.list({ mailbox: 'qa+c' })).data.length, { timeout: 60_000 }).toBe(2)
})

test('with an API that has no ledger, mail is accepted, and the missing attempts are counted', async () => {
  const api = createServer((_, response) => response.writeHead(404).end())
  api.listen(0, '127.0.0.1')
  await once(api, 'listening')
  onTestFinished(() => void api.close())
  const worker = await startWorker(`http://127.0.0.1:${(api.address() as AddressInfo).port}`)
  const transport = createTransport({ host: '127.0.0.1', port: worker.smtpPort })
  const { accepted } = await transport.sendMail({
    from: 'app@shop.test',
    to: ['a@qa.test', 'b@qa.test'],
    text: 'Hello',
  })
  expect(accepted).toHaveLength(2)
  const dropped = async () => valueOf(await scrape(worker.workerUrl), 'mailhatch_attempts_dropped_total')
  await expect.poll(dropped, { timeout: 10_000 }).toBe(2)
})
