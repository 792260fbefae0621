import { setTimeout as sleep } from 'node:timers/promises'
import { SETTLE_MS, type Bench } from '../bench.ts'
import { API_KEY, startProduct } from '../product.ts'
import { MAILHATCH } from '../results.ts'
import { perSecond } from '../statistics.ts'
import { getRequest } from '../tasks/http-client.ts'
import { TaskProcess } from '../tasks/task-process.ts'

export const LATEST_SCENARIO = 'GET latest, 16 keep-alive connections'
export const BARE_HTTP = 'bare node:http, the same answer'

const CONNECTIONS = 16
const PATH = '/v1/messages/latest?mailbox=poll'
/** The polled message and others. */
const MAILS = 200
/** node:http adds these itself. */
const HEADERS_OF_NODE = ['connection', 'date', 'keep-alive']

/** Polls per second for an existing message, compared with a server that always sends the same response. */
export async function measureLatest({ folder, generator, plan, results }: Bench): Promise<void> {
  const product = await startProduct(folder)
  await generator.run('runSmtpLoad', {
    port: product.smtpPort,
    mail: { sizeBytes: 2_000, recipient: 'poll@mailhatch.test' },
    connections: 1,
    reuse: true,
    durationMs: 10_000,
    mailsMax: MAILS,
  })
  await product.untilReadable(MAILS)
  const reference = new TaskProcess(BARE_HTTP)
  const { port } = await reference.run('startBareHttp', await readResponse(product.url + PATH))
  const targets = [
    { subject: MAILHATCH, port: product.apiPort },
    { subject: BARE_HTTP, port },
  ]
  const load = { request: getRequest(PATH, API_KEY), connections: CONNECTIONS }
  for (const target of targets) {
    await generator.run('runHttpLoad', { ...load, port: target.port, durationMs: plan.warmUpMs })
  }
  for (let round = 1; round <= plan.rounds; round++) {
    console.log(`latest, round ${round} of ${plan.rounds}`)
    for (const { subject, port } of targets) {
      const { answers, elapsedMs } = await generator.run('runHttpLoad', { ...load, port, durationMs: plan.sampleMs })
      const label = { measure: 'latest', scenario: LATEST_SCENARIO, subject, unit: 'answers/s' } as const
      results.add(label, perSecond(answers, elapsedMs))
      await sleep(SETTLE_MS)
    }
    targets.reverse()
  }
  await Promise.all([product.stop(), reference.stop()])
}

async function readResponse(url: string): Promise<{ headers: [string, string][]; body: string }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${API_KEY}` } })
  if (response.status !== 200) throw new Error(`latest responded with ${response.status}.`)
  const headers = [...response.headers].filter(([name]) => !HEADERS_OF_NODE.includes(name))
  return { headers, body: await response.text() }
}
