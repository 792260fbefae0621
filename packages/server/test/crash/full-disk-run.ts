import { Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import { vi } from 'vitest'
import { API_KEY, spawnServer, type ChildOptions, type ChildServer } from '../support/child-server.ts'
import { randomMail } from '../support/random-mail.ts'
import { seededRandom } from '../support/seeded-random.ts'
import type { mountSmallDisk } from '../support/small-disk.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { ConnectionLost } from '../support/smtp-replies.ts'
import { listEverything, sha256 } from '../support/stored-mail.ts'
import { untilAnnounced } from './crash-under-load.ts'
import type { Storage } from './installations.ts'
import { writeUntilRefused } from './refused-writes.ts'
import { compareWithStored, type Comparison, type SentMail } from './sent-mail.ts'

/** Buffered in memory during the transfer, so that only the bucket needs room for it. */
const SMALL_BYTES = [2_000, 2_000, 20_000, 20_000, 60_000]
/** Buffered in a file of the spool. */
const LARGE_BYTES = 1_300_000
const CONNECTIONS = 4
/** More than a write-ahead log holds: 64 MiB at most. */
const SENDS_MAX = 2_000

export type OnDisk = 'bucket' | 'database' | 'spool'

export type FullDisk = {
  program: ChildOptions
  disk: ReturnType<typeof mountSmallDisk>
  /** What is on that disk. */
  onDisk: OnDisk[]
  storage: Storage
  seed: number
  mailsPerPhase: number
  starts: number
  recoveryMsMax?: number
}

export type FullDiskReport = Comparison & {
  refused: number
  /** Refused with 452: the bucket has no room for small mail, the spool or the bucket none for large mail. */
  smallRefused: number
  largeRefused: number
  /** Refused with 507: the database has no room. */
  writesRefused: number
  announcementsRefused: number
  refusedOtherwise: string[]
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
  const { program, disk, onDisk, storage, seed, mailsPerPhase } = given
  const sent: SentMail = new Map()
  const found = {
    refused: 0,
    smallRefused: 0,
    largeRefused: 0,
    writesRefused: 0,
    announcementsRefused: 0,
    refusedOtherwise: [] as string[],
    refusedWithRoom: [] as string[],
    reads: 0,
    readsFailed: [] as string[],
    starts: 0,
    startsFailed: [] as string[],
  }
  let server: ChildServer
  let early: MessageSummary[] = []
  /** For failures, as all names of mail and reads in the report. */
  let phase = 'before the first start on the full disk'
  const names = new Map<string, string>()
  const sdk = () => new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })

  async function start(): Promise<void> {
    server = spawnServer(program)
    await server.ready
  }

  async function end(how: 'stop' | 'kill'): Promise<void> {
    // The counter ends with the program.
    found.announcementsRefused += await countAnnouncementsRefused(server)
    await server[how]()
  }

  async function send(client: SmtpClient, sizes: number[]): Promise<{ name: string; reply: string }> {
    const id = `m${sent.size}`
    const random = seededRandom(seed + sent.size)
    const bytes = random.pick(sizes)
    const raw = randomMail(id, bytes, { random })
    const mail = { hash: sha256(raw), isAccepted: false }
    sent.set(id, mail)
    const name = `${id}, ${bytes} bytes, ${phase}`
    names.set(id, name)
    const reply = await client.send({ to: `qa+${id}@mailhatch.test`, raw }).catch(describeLoss)
    mail.isAccepted = isAccepted(reply)
    if (mail.isAccepted) return { name, reply }
    found.refused++
    if (!reply.startsWith('452')) found.refusedOtherwise.push(`${name}: ${reply}`)
    else if (bytes === LARGE_BYTES) found.largeRefused++
    else found.smallRefused++
    return { name, reply }
  }

  /** Over several connections, one for each mail. Without room, the disk is filled while the mail arrives. */
  async function sendMails(count: number, isRoom: boolean): Promise<void> {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let number = 0; number < count / CONNECTIONS; number++) {
          const client = await SmtpClient.connect(server.smtpPort)
          const replying = send(client, [...SMALL_BYTES, LARGE_BYTES])
          if (!isRoom) disk.fill()
          const { name, reply } = await replying
          if (isRoom && !isAccepted(reply)) found.refusedWithRoom.push(`${name}: ${reply}`)
          client.close()
        }
      }),
    )
  }

  /**
   * Until the last page is used: the write-ahead logs of databases keep the room that they had before, so what is written
   * goes there for a while.
   */
  async function useUpRoom(): Promise<void> {
    disk.fill()
    if (onDisk.includes('database')) {
      const { status } = await writeUntilRefused(server, `filled-${sent.size}`)
      if (status === 507) found.writesRefused++
    }
    if (!onDisk.includes('bucket')) return
    const client = await SmtpClient.connect(server.smtpPort)
    for (const size of [Math.max(...SMALL_BYTES), Math.min(...SMALL_BYTES)]) {
      for (let number = 0; number < SENDS_MAX; number++) {
        disk.fill()
        if (!isAccepted((await send(client, [size])).reply)) break
      }
    }
    client.close()
  }

  async function read(): Promise<void> {
    disk.fill()
    const reading = early.flatMap(({ id }) => [
      { what: `message ${id}`, ask: () => sdk().messages.get(id) },
      { what: `raw mail of ${id}`, ask: () => readRaw(id) },
    ])
    for (const { what, ask } of [{ what: 'list', ask: () => sdk().messages.list() }, ...reading]) {
      found.reads++
      await ask().catch((error: unknown) => found.readsFailed.push(`${what}, ${phase}: ${String(error)}`))
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
  await sendMails(CONNECTIONS, false)
  await useUpRoom()
  await sendMails(mailsPerPhase, false)
  await read()
  disk.free()
  await sendMails(mailsPerPhase, true)

  for (let number = 1; number <= given.starts; number++) {
    await useUpRoom()
    const how = number % 2 === 0 ? 'kill' : 'stop'
    await end(how)
    phase = `start ${number}, after a ${how}`
    disk.fill()
    found.starts++
    try {
      await start()
    } catch (error) {
      found.startsFailed.push(`${phase}: ${String(error)}`)
      disk.free()
      await start()
    }
    await read()
    await sendMails(CONNECTIONS, false)
  }
  disk.free()
  await sendMails(mailsPerPhase, true)
  await untilAnnounced(storage, given.recoveryMsMax)
  const messages = await listEverything(sdk())
  await end('stop')
  const bucket = await storage.openBucket()
  try {
    const compared = await compareWithStored(sent, messages, bucket)
    const named = (ids: string[]) => ids.map((id) => names.get(id) ?? id)
    return {
      ...found,
      ...compared,
      lost: named(compared.lost),
      altered: named(compared.altered),
      doubled: named(compared.doubled),
    }
  } finally {
    await bucket.close()
  }
}

function describeLoss(error: unknown): string {
  if (!(error instanceof ConnectionLost)) throw error
  return String(error)
}

async function countAnnouncementsRefused({ apiUrl }: ChildServer): Promise<number> {
  const metrics = await (await fetch(`${apiUrl}/metrics`)).text()
  return Number(/^mailhatch_announcement_failures_total\{status="507"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
}
