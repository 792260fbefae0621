import { Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import { vi } from 'vitest'
import { API_KEY, spawnServer, type ChildOptions, type ChildServer } from '../support/child-server.ts'
import { randomMail } from '../support/random-mail.ts'
import { seededRandom } from '../support/seeded-random.ts'
import type { mountSmallDisk } from '../support/small-disk.ts'
import { ConnectionLost, isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { listEverything, sha256 } from '../support/stored-mail.ts'
import { untilAnnounced } from './crash-under-load.ts'
import type { Storage } from './installations.ts'
import { compareWithStored, type Comparison, type SentMail } from './sent-mail.ts'

/** Some are buffered in memory, and some in a file. */
const MAIL_BYTES = [2_000, 2_000, 20_000, 20_000, 60_000, 1_300_000]
const CONNECTIONS = 4

export type FullDisk = {
  program: ChildOptions
  disk: ReturnType<typeof mountSmallDisk>
  storage: Storage
  seed: number
  mailsPerPhase: number
  starts: number
  recoveryMsMax?: number
}

export type FullDiskReport = Comparison & {
  refused: number
  refusedForGood: string[]
  /** Mail that was sent when there was room again. */
  refusedWithRoom: string[]
  reads: number
  readsFailed: string[]
  starts: number
  startsFailed: string[]
}

/**
 * Fills the disk while mail arrives, reads meanwhile, frees it, and goes on without a restart. Then starts again and again
 * on the full disk, after stops and kills, and frees it once more.
 */
export async function runOnFullDisk(given: FullDisk): Promise<FullDiskReport> {
  const { program, disk, storage, seed, mailsPerPhase } = given
  const sent: SentMail = new Map()
  const found = {
    refused: 0,
    refusedForGood: [] as string[],
    refusedWithRoom: [] as string[],
    reads: 0,
    readsFailed: [] as string[],
    starts: 0,
    startsFailed: [] as string[],
  }
  let server: ChildServer
  let early: MessageSummary[] = []
  const sdk = () => new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })

  async function start(): Promise<void> {
    server = spawnServer(program)
    await server.ready
  }

  async function send(client: SmtpClient): Promise<string> {
    const id = `m${sent.size}`
    const random = seededRandom(seed + sent.size)
    const raw = randomMail(id, random.pick(MAIL_BYTES), { random })
    const mail = { hash: sha256(raw), isAccepted: false }
    sent.set(id, mail)
    const reply = await client.send({ to: `qa+${id}@mailhatch.test`, raw })
    mail.isAccepted = isAccepted(reply)
    if (!mail.isAccepted) found.refused++
    if (reply.startsWith('5')) found.refusedForGood.push(reply)
    return reply
  }

  /** Over several connections, each of which is opened again where the server closes it. */
  async function sendMails(count: number, isRoom: boolean): Promise<void> {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let number = 0; number < count / CONNECTIONS; number++) {
          if (!isRoom) disk.fill()
          const client = await SmtpClient.connect(server.smtpPort)
          const reply = await send(client).catch((error: unknown) => {
            if (!(error instanceof ConnectionLost)) throw error
            return String(error)
          })
          if (isRoom && !isAccepted(reply)) found.refusedWithRoom.push(reply)
          client.close()
        }
      }),
    )
  }

  async function read(): Promise<void> {
    disk.fill()
    const reading = early.flatMap(({ id }) => [() => sdk().messages.get(id), () => readRaw(id)])
    for (const ask of [() => sdk().messages.list(), ...reading]) {
      found.reads++
      await ask().catch((error: unknown) => found.readsFailed.push(String(error)))
    }
  }

  async function readRaw(id: string): Promise<void> {
    const response = await fetch(`${server.apiUrl}/v1/messages/${id}/raw`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`status ${response.status}`)
  }

  await start()
  await sendMails(mailsPerPhase, true)
  await vi.waitUntil(async () => (early = await listEverything(sdk())).length >= mailsPerPhase)
  early = early.slice(0, 5)
  const filling = sendMails(mailsPerPhase, false)
  disk.fill()
  await filling
  await read()
  disk.free()
  await sendMails(mailsPerPhase, true)

  for (let number = 1; number <= given.starts; number++) {
    disk.fill()
    await (number % 2 === 0 ? server!.kill() : server!.stop())
    disk.fill()
    found.starts++
    try {
      await start()
    } catch (error) {
      found.startsFailed.push(String(error))
      disk.free()
      await start()
      disk.fill()
    }
    disk.fill()
    await read()
    await sendMails(CONNECTIONS, false)
  }
  disk.free()
  await sendMails(mailsPerPhase, true)
  await untilAnnounced(storage, given.recoveryMsMax)
  const messages = await listEverything(sdk())
  await server!.stop()
  const bucket = await storage.openBucket()
  try {
    return { ...found, ...(await compareWithStored(sent, messages, bucket)) }
  } finally {
    await bucket.close()
  }
}
