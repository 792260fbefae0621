import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startChild, type ChildServer } from '../support/child-server.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { unprocessedMail } from '../support/stored-mail.ts'
import { ownPostgres } from './own-postgres.ts'
import { DOMAIN, startReplicas, type Replicas } from './replicas.ts'

const DEADLY = 'deadly mail'
const PRELOAD = preload('support/deadly-mail.ts')
/** Retries come a minute apart after the fifth failure. */
const TIMEOUT = { timeout: 300_000 }
const SOON = { timeout: 280_000, interval: 50 }

const postgres = ownPostgres()

test(
  'behind a proxy, mail that crashes each replica is set aside after three failures, and other mail is accepted',
  TIMEOUT,
  async () => {
    const replicas = await startReplicas(await postgres.database(), { count: 2, nodeArguments: PRELOAD })
    const supervisor = supervise(replicas)
    try {
      await expectSetAside(replicas, supervisor)
    } finally {
      supervisor.end()
    }
  },
)

type Supervisor = { urls: () => string[]; deaths: () => number; end: () => void }

/** Restarts a replica that has died, as an orchestrator does. */
function supervise(replicas: Replicas): Supervisor {
  const living = new Set<ChildServer>()
  let deaths = 0
  let isOver = false
  /** A replica that still starts when the test ends is stopped with it. */
  function onLateStart(error: unknown): void {
    if (!isOver) throw error
  }
  function watch(replica: ChildServer): void {
    living.add(replica)
    replica.process.once('exit', () => {
      living.delete(replica)
      deaths++
      if (!isOver) replicas.start().then(watch, onLateStart)
    })
  }
  for (const replica of replicas.all) watch(replica)
  return {
    urls: () => Array.from(living, ({ apiUrl }) => apiUrl),
    deaths: () => deaths,
    end: () => void (isOver = true),
  }
}

async function expectSetAside(replicas: Replicas, { urls, deaths }: Supervisor): Promise<void> {
  const proxy = await startBalancer(urls)
  const dataDir = temporaryFolder()
  const inbox = join(dataDir, 'inbox.db')
  const worker = await startChild({
    program: 'worker',
    environment: { DATA_DIR: dataDir, WEBHOOK_URL: `${proxy.url}/webhooks/inbox`, WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET },
  })

  const sent: string[] = []
  /** Resolves when the API has the message. */
  async function sendHarmless(): Promise<void> {
    const tag = `other${sent.length}`
    sent.push(tag)
    await send(worker, `box+${tag}@${DOMAIN}`, 'harmless')
    await vi.waitUntil(() => unprocessedMail(inbox).every((mail) => mail.tag !== tag), SOON)
  }
  await send(worker, `box+deadly@${DOMAIN}`, DEADLY)
  const findDeadly = () => unprocessedMail(inbox).find(({ tag }) => tag === 'deadly')!
  while (findDeadly().setAside === null) await sendHarmless()
  // Counted when the process has ended, which may be later than its response.
  await vi.waitUntil(() => deaths() >= 3, SOON)
  expect(findDeadly()).toMatchObject({ ownFailures: 3, lastStatus: 502 })
  // A failure counts only if other mail was accepted since the one before, so on a busy machine there may be more.
  const { attempts } = findDeadly()
  expect(findDeadly().setAside!.reason).toContain('(502)')

  for (let count = 0; count < 5; count++) await sendHarmless()
  const sdk = new Mailhatch({ url: proxy.url, apiKey: replicas.key })
  await expect
    .poll(async () => await sdk.rejections.list(), SOON)
    .toMatchObject([{ to: `box+deadly@${DOMAIN}`, code: 'set_aside' }])
  await sdk.messages.waitFor({ tag: sent.at(-1)! })
  expect(deaths()).toBeLessThanOrEqual(attempts)
  expect(unprocessedMail(inbox)).toMatchObject([{ tag: 'deadly', attempts }])
  console.info({ others: sent.length, statuses: proxy.statuses })
}

/** Sends each request to the next server, and responds with 502 if that server ends without a response, as proxies do. */
async function startBalancer(upstreams: () => string[]) {
  const statuses: Record<number, number> = {}
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const urls = upstreams()
    const answer = (status: number) => {
      statuses[status] = (statuses[status] ?? 0) + 1
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    }
    if (urls.length === 0) return answer(503)
    passOn(urls[turn++ % urls.length]!, { incoming, outgoing, onDeath: () => answer(502) })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server has an AddressInfo.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, statuses }
}

type Passed = { incoming: IncomingMessage; outgoing: ServerResponse; onDeath: () => void }

function passOn(target: string, { incoming, outgoing, onDeath }: Passed): void {
  const { method, headers, url } = incoming
  const onward = request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers)
    answer.on('error', onDeath).pipe(outgoing)
  })
  onward.on('error', onDeath)
  incoming.pipe(onward)
}

async function send({ smtpPort }: ChildServer, to: string, subject: string): Promise<void> {
  const client = await SmtpClient.connect(smtpPort)
  const reply = await client.send({ to, raw: Buffer.from(`Subject: ${subject}\r\n\r\nhello\r\n`) })
  client.close()
  if (!isAccepted(reply)) throw new Error(reply)
}
