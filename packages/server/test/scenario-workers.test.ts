import { accept, Mailhatch, reject, type Step } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { startChild, type ChildServer } from './support/child-server.ts'
import { makeTeam } from './support/made-team.ts'
import { temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

const WORKERS = 4
const MAILS = 120

/** An API, and workers that know it only by HTTP. */
async function startApart() {
  const dataDir = temporaryFolder()
  const apiKey = await makeTeam({ DATA_DIR: dataDir }, { name: 'QA', domain: 'qa.test', plan: 'enterprise' })
  const api = await startChild({
    program: 'api',
    environment: { DATA_DIR: dataDir, INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET, RATE_LIMIT: 'off' },
  })
  const startWorker = () =>
    startChild({
      program: 'worker',
      environment: {
        DATA_DIR: temporaryFolder(),
        WEBHOOK_URL: `${api.apiUrl}/webhooks/inbox`,
        WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
        DISK_FREE_MIN: '0',
      },
    })
  const sdk = new Mailhatch({ url: api.apiUrl, apiKey })
  const script = (to: string, steps: Step[]) => sdk.scenarios.create(to, steps)
  return { sdk, script, startWorker }
}

/** The code of the reply; null if there was none. */
async function sendTo({ smtpPort }: ChildServer, to: string): Promise<number | null> {
  const transport = createTransport({ host: '127.0.0.1', port: smtpPort })
  try {
    await transport.sendMail({ from: 'app@shop.test', to, subject: 'Hello', text: 'Hello' })
    return 250
  } catch (error) {
    return (error as { responseCode?: number }).responseCode ?? null
  }
}

test('several workers use each step as often as it says, and a script goes on after kill -9', async () => {
  const { sdk, script, startWorker } = await startApart()
  const workers = await Promise.all(Array.from({ length: WORKERS }, startWorker))
  await script('qa+many@qa.test', [reject(451).times(50), reject(452).times(40), accept()])
  const plain = Array.from({ length: WORKERS }, (_, index) => sendTo(workers[index]!, `qa+plain${index}@qa.test`))
  const seen = await Promise.all(
    Array.from({ length: MAILS }, (_, index) => sendTo(workers[index % WORKERS]!, 'qa+many@qa.test')),
  )
  const count = (code: number) => seen.filter((each) => each === code).length
  expect([count(451), count(452), count(250)]).toEqual([50, 40, MAILS - 90])
  expect(await Promise.all(plain)).toEqual(Array.from({ length: WORKERS }, () => 250))

  await script('qa+killed@qa.test', [reject(451).times(2), reject(550), accept()])
  expect(await sendTo(workers[0]!, 'qa+killed@qa.test')).toBe(451)
  await workers[0]!.kill()
  const next = await startWorker()
  const after: (number | null)[] = []
  for (let mail = 0; mail < 3; mail++) after.push(await sendTo(next, 'qa+killed@qa.test'))
  expect(after).toEqual([451, 550, 250])
  await expect
    .poll(async () => (await sdk.messages.list({ mailbox: 'qa', limit: 100 })).data.length, { timeout: 60_000 })
    .toBe(MAILS - 90 + WORKERS + 1)
})
