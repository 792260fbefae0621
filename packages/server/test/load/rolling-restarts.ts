import { setTimeout as sleep } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { onTestFinished, vi } from 'vitest'
import { DOMAIN, startReplicas } from '../replicas/replicas.ts'
import { startBalancer } from '../support/balancer.ts'
import { spawnServer, type ChildServer } from '../support/child-server.ts'
import { freePort } from '../support/free-port.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder, WEBHOOK_SECRET } from '../support/server.ts'
import { listEverything } from '../support/stored-mail.ts'
import type { LoadReport } from './load.ts'
import { startLoadProcess } from './load-process.ts'

/** Between two restarts, so that clients have used the new process. */
const MAILS_BETWEEN = 10
/** On a busy machine. */
const MAILS_MS_MAX = 300_000
/**
 * Longer than the SDK's default of 30 s: a wait is opened seconds before its mail is sent, and a restart takes ten seconds
 * on a busy machine.
 */
export const WAIT_MS = 120_000
const REQUEST_EVERY_MS = 50

export type RestartOptions = {
  databaseUrl: string
  replicas: number
  /** In each, every replica and the worker are restarted one after another. */
  rounds: number
  mailsPerSecond: number
  waits: number
  streams: number
  /** Loaded into the worker, the replicas and the process with the SDK. */
  preloads?: { worker?: string[]; replica?: string[]; sdk?: string[] }
  patienceMs?: number
  progress?: (text: string) => void
}

export type RestartReport = {
  load: LoadReport
  restarts: number
  /** Processes that did not end with code 0 within the time they have. */
  uncleanStops: number
  lost: number
  /** Mails with the same content that are stored more than once. */
  doubled: number
  /** Requests for the number of messages, also during restarts, and those that failed in spite of the SDK's retries. */
  requests: number
  failedRequests: string[]
}

/** Replicas and a worker behind a load balancer, restarted while mail arrives. */
export async function restartUnderLoad(options: RestartOptions): Promise<RestartReport> {
  const { rounds, waits, streams, mailsPerSecond, patienceMs, preloads = {}, progress = () => {} } = options
  const storage = { INBOX_STORAGE: `file:${temporaryFolder()}` }
  const replicas = await startReplicas(options.databaseUrl, {
    count: options.replicas,
    environment: storage,
    nodeArguments: preload(...(preloads.replica ?? [])),
  })
  const balancer = await startBalancer(() => replicas.all.map(({ apiUrl }) => apiUrl))
  const smtpPort = await freePort()
  const workerEnvironment = {
    ...storage,
    DATA_DIR: temporaryFolder(),
    SMTP_PORT: String(smtpPort),
    WEBHOOK_URL: `${balancer.url}/webhooks/inbox`,
    WEBHOOK_AUTH_TOKEN: WEBHOOK_SECRET,
  }
  const startWorker = async () => {
    const nodeArguments = preload(...(preloads.worker ?? []))
    const started = spawnServer({ program: 'worker', environment: workerEnvironment, nodeArguments })
    await started.ready
    return started
  }
  let worker = await startWorker()
  const load = await startLoadProcess(
    {
      url: balancer.url,
      apiKey: replicas.key,
      smtpPort,
      domain: DOMAIN,
      mailsPerSecond,
      waits,
      streams,
      namesAccepted: true,
      waitMs: WAIT_MS,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    },
    preloads.sdk,
  )

  const sdk = new Mailhatch({ url: balancer.url, apiKey: replicas.key })
  const { countMessages, stopCounting } = startCounting(sdk)

  async function untilMoreMail(): Promise<void> {
    const wanted = (await countMessages()) + MAILS_BETWEEN
    const options = { timeout: MAILS_MS_MAX, interval: REQUEST_EVERY_MS }
    await vi.waitUntil(async () => (await countMessages()) >= wanted, options)
  }

  let restarts = 0
  let uncleanStops = 0
  async function replace(old: ChildServer, start: () => Promise<ChildServer>): Promise<ChildServer> {
    await untilMoreMail()
    if ((await old.stop()) !== 0) uncleanStops++
    restarts++
    return start()
  }
  for (let round = 1; round <= rounds; round++) {
    for (let index = 0; index < options.replicas; index++) {
      replicas.all[index] = await replace(replicas.all[index]!, replicas.start)
    }
    worker = await replace(worker, startWorker)
    progress(`${round} of ${rounds} rolling restarts`)
  }

  const { requests, failures: failedRequests } = await stopCounting()
  const report = await load.stop()
  const stored = await listEverything(sdk)
  const counts = Map.groupBy(stored, ({ subject }) => subject)
  return {
    load: report,
    restarts,
    uncleanStops,
    lost: report.acceptedSubjects.filter((subject) => !counts.has(subject)).length,
    doubled: [...counts.values()].filter((same) => same.length > 1).length,
    requests,
    failedRequests,
  }
}

/** Asks for the number of messages all the time, until stopped. */
function startCounting(sdk: Mailhatch) {
  let [messages, requests, isStopped] = [0, 0, false]
  const failures: string[] = []
  async function countMessages(): Promise<number> {
    requests++
    try {
      messages = (await sdk.me()).messageCount
    } catch (error) {
      failures.push(String(error))
    }
    return messages
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await countMessages()
      await sleep(REQUEST_EVERY_MS)
    }
  }
  const running = run()

  async function stopCounting() {
    isStopped = true
    await running
    return { requests, failures }
  }
  onTestFinished(async () => void (await stopCounting()))
  return { countMessages, stopCounting }
}
