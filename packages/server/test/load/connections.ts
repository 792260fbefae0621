import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Mailhatch } from '@mailhatch/sdk'
import { onTestFinished, vi } from 'vitest'
import { inGroups } from '../../src/domain/in-groups.ts'
import { API_KEY, spawnServer } from '../support/child-server.ts'
import { makeTeamKey } from '../support/made-team.ts'
import { preload } from '../support/preload.ts'
import { residentMegabytes } from '../support/resident-memory.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import type { AttackCounts } from './attack.ts'
import type { Attack, KindName } from './attack-kinds.ts'
import { behaveWell, type Behaved } from './well-behaved.ts'

const PROGRAM = fileURLToPath(new URL('attack-program.ts', import.meta.url))
/** More than the system buffers for a client that does not read. */
const ATTACHMENT_BYTES = 16 * 1024 * 1024
/** As many as a key may have. */
const DOWNLOADS_PER_KEY = 20
/** One download in five is of an attachment: decoded attachments have 1 GiB of room. */
const RAW_DOWNLOADS_PER_ATTACHMENT = 4
const CLIENTS = 4
/** Opened at once, so that the server's backlog is not what is tested. */
const OPENING_MAX = 100
/** Before the measurement begins. Some connections are always being opened again. */
const OPEN_SHARE = 0.8
/** On a busy machine. */
const OPEN_MS_MAX = 120_000
const SERVED_MS_MAX = 600_000
/** The time in which a program without load returns memory. Then its memory is measured for a while. */
const SETTLE_MS = 35_000
const MEASURED_MS = 30_000
const ROUGHLY_MEASURED_MS = 5_000
const LOOK_MS = 500

export type ConnectionsOptions = {
  counts: Record<KindName, number>
  seed: number
  /** The attack, and the same work without it before, last at least this long and for this many operations of the well-behaved clients. */
  seconds: number
  samples: number
  /** The memory before and after is measured at once, and before it only a quarter of the downloads is read. */
  isMemoryRough?: boolean
  /** Loaded into the server. */
  preloads?: string[]
  progress?: (text: string) => void
}

export type ConnectionsReport = {
  /** Milliseconds of the operations of the well-behaved clients during the attack, by kind of operation. */
  times: Map<string, number[]>
  failures: string[]
  /** Open connections of the attack, on average and the most of all looks, and those that the server closed or refused. */
  held: Record<KindName, number>
  most: Record<KindName, number>
  closed: Record<KindName, number>
  megabytesBefore: number
  megabytesMost: number
  megabytesAfter: number
}

/** Slow, idle and unread connections, all at once, while other clients send and read mail. */
export async function holdConnections(options: ConnectionsOptions): Promise<ConnectionsReport> {
  const { counts, preloads = [], progress = () => {} } = options
  const environment = { DATA_DIR: temporaryFolder() }
  const nodeArguments = preload(...preloads)
  const server = spawnServer({ environment, nodeArguments })
  await server.ready
  const { apiUrl: url, smtpPort } = server
  const target = { url, apiKey: API_KEY, smtpPort }
  const megabytes = () => residentMegabytes(server.process.pid!)
  const memory = () => lowestMemory(megabytes, target, options)
  const sdk = new Mailhatch({ url, apiKey: API_KEY })
  const id = await sendLarge(smtpPort, sdk)
  const keys: string[] = []
  const team = (await sdk.me()).team.name
  while (keys.length * DOWNLOADS_PER_KEY < counts.unread) keys.push(await makeTeamKey(environment, team))

  const path = `/v1/messages/${id}`
  const raw = Array<string>(RAW_DOWNLOADS_PER_ATTACHMENT).fill(`${path}/raw`)
  const downloads = [...raw, `${path}/attachments/0`]
  const downloadsPerKey = options.isMemoryRough ? downloads.length : DOWNLOADS_PER_KEY
  await serveAsMany({ ...target, keys, downloads, downloadsPerKey, counts })
  const warmUp = behaveWell(target, CLIENTS)
  await untilServed(warmUp, options)
  await warmUp.stop()
  const megabytesBefore = await memory()
  progress(`${Math.round(megabytesBefore)} MB before`)

  const apiPort = Number(new URL(url).port)
  const attack = startAttackProcess({ ...counts, seed: options.seed, apiPort, smtpPort, keys, downloads })
  const isComplete = () => NAMES.every((name) => attack.open(name) >= counts[name] * OPEN_SHARE)
  await vi.waitUntil(isComplete, { timeout: OPEN_MS_MAX, interval: LOOK_MS }).catch((error: unknown) => {
    throw new Error(`Only these are open: ${JSON.stringify(ofEach(attack.open))}`, { cause: error })
  })
  const good = behaveWell(target, CLIENTS)
  const open: Record<KindName, number>[] = []
  let megabytesMost = megabytesBefore
  await untilServed(good, options, () => {
    megabytesMost = Math.max(megabytesMost, megabytes())
    open.push(ofEach(attack.open))
  })
  const closed = ofEach(attack.closed)
  // An operation that only the end of the attack completes has taken longer than any limit.
  const stopped = good.stop()
  await attack.end()
  await stopped
  progress(`${countOf(good.times)} operations, up to ${Math.round(megabytesMost)} MB`)

  return {
    times: good.times,
    failures: good.failures,
    held: ofEach((name) => open.reduce((sum, counts) => sum + counts[name], 0) / open.length),
    most: ofEach((name) => Math.max(...open.map((counts) => counts[name]))),
    closed,
    megabytesBefore,
    megabytesMost,
    megabytesAfter: await memory(),
  }
}

const NAMES: KindName[] = ['slow', 'idleSmtp', 'idleHttp', 'unread']

function ofEach(valueOf: (name: KindName) => number): Record<KindName, number> {
  // It has every name.
  return Object.fromEntries(NAMES.map((name) => [name, valueOf(name)])) as Record<KindName, number>
}

/** Until the clients have had the time and the operations, also on a busy machine. */
async function untilServed(
  { times }: Behaved,
  { seconds, samples }: Pick<ConnectionsOptions, 'seconds' | 'samples'>,
  look = () => {},
): Promise<void> {
  for (const startedAt = performance.now(); ; await sleep(LOOK_MS)) {
    look()
    const passedMs = performance.now() - startedAt
    if (passedMs >= seconds * 1_000 && countOf(times) >= samples) return
    if (passedMs > SERVED_MS_MAX) throw new Error(`Only ${countOf(times)} operations in ${SERVED_MS_MAX / 60_000} min.`)
  }
}

/** The lowest memory some time later, while one client goes on, because a program without work collects no garbage. */
async function lowestMemory(
  megabytes: () => number,
  target: Parameters<typeof behaveWell>[0],
  { isMemoryRough = false }: Pick<ConnectionsOptions, 'isMemoryRough'>,
): Promise<number> {
  const client = behaveWell(target, 1)
  await sleep(isMemoryRough ? 0 : SETTLE_MS)
  let lowest = Infinity
  for (let looks = 0; looks < (isMemoryRough ? ROUGHLY_MEASURED_MS : MEASURED_MS) / LOOK_MS; looks++) {
    lowest = Math.min(lowest, megabytes())
    await sleep(LOOK_MS)
  }
  await client.stop()
  return lowest
}

function countOf(times: Map<string, number[]>): number {
  return [...times.values()].reduce((sum, all) => sum + all.length, 0)
}

/** In its own process, so that it does not delay the clients that are measured. */
function startAttackProcess(attack: Attack) {
  const child = fork(PROGRAM)
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let counts: AttackCounts | null = null
  // The program sends nothing else.
  child.on('message', (message) => (counts = message as AttackCounts))
  const end = async () => {
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(end)
  child.send(attack)
  return {
    open: (name: KindName) => counts?.[name].open ?? 0,
    closed: (name: KindName) => counts?.[name].closed ?? 0,
    end,
  }
}

type Many = {
  url: string
  smtpPort: number
  keys: string[]
  downloads: string[]
  downloadsPerKey: number
  counts: ConnectionsOptions['counts']
}

/**
 * As many clients at once as the attack has, which all behave. The allocator keeps some of the memory that many connections
 * need at once, good or bad; this is no part of what the attack leaves behind.
 */
async function serveAsMany({ url, smtpPort, keys, downloads, downloadsPerKey, counts }: Many): Promise<void> {
  const paths = Array.from({ length: downloadsPerKey }, (_, number) => downloads[number % downloads.length]!)
  await Promise.all(keys.flatMap((key) => paths.map((one) => read(url + one, key))))
  const request = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'
  const ports = [
    ...Array<number>(counts.idleHttp + counts.slow).fill(Number(new URL(url).port)),
    ...Array<number>(counts.idleSmtp).fill(smtpPort),
  ]
  const open = await inGroups(ports, OPENING_MAX, (port) =>
    greeted(port, port === smtpPort ? 'EHLO good.test\r\n' : request),
  )
  for (const socket of open) socket.destroy()
}

/** A connection whose request has a response. */
async function greeted(port: number, request: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.write(request)
  await once(socket, 'data')
  return socket
}

async function read(url: string, apiKey: string): Promise<void> {
  const { body } = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } })
  await body!.pipeTo(new WritableStream())
}

async function sendLarge(smtpPort: number, sdk: Mailhatch): Promise<string> {
  const head = 'Subject: large\r\nMIME-Version: 1.0\r\nContent-Type: application/octet-stream; name=a.bin\r\n'
  const body = Buffer.alloc(ATTACHMENT_BYTES, 7).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  const raw = Buffer.from(`${head}Content-Transfer-Encoding: base64\r\n\r\n${body}\r\n`)
  const client = await SmtpClient.connect(smtpPort)
  await client.send({ to: 'qa+large@mailhatch.test', raw })
  client.close()
  return (await sdk.messages.waitFor({ mailbox: 'qa', tag: 'large' })).id
}
