import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch, type MessageSummary } from '@mailhatch/sdk'
import { vi } from 'vitest'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { openEmbeddedBucket } from '../../src/bucket/embedded-bucket.ts'
import { openFolderBucket } from '../../src/bucket/folder-bucket.ts'
import { API_KEY, spawnServer, startChild, type ChildServer } from '../support/child-server.ts'
import { withDatabase } from '../support/journey-database.ts'
import { randomMail, randomSize } from '../support/random-mail.ts'
import { temporaryFolder } from '../support/server.ts'
import { ConnectionLost, isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { keysIn, listEverything, readRaw, sha256, unprocessedMail } from '../support/stored-mail.ts'

const CONNECTIONS = 6
const MAIL_BYTES = { bytesMin: 500, bytesMax: 60_000 }
/** Long enough for hundreds of messages, short enough that most kills interrupt many. */
const LIFE_MS_MAX = 1_000
/** About as long as a start, so that a kill can interrupt any part of it. */
const START_MS_MAX = 500
/** One run in this many is killed while the server starts. */
const STARTS_KILLED_ONE_IN = 5
const RECOVERY_MS_MAX = 60_000

type Sent = Map<string, { hash: string; isAccepted: boolean }>

export type CrashReport = {
  kills: number
  killsDuringStart: number
  sent: number
  accepted: number
  /** Mail whose 250 was never read but which is stored. */
  unasked: number
  lost: string[]
  doubled: string[]
  altered: string[]
  unknown: string[]
  /** Stored objects that do not belong to exactly one message. */
  strayObjects: number
}

/** A run in which nothing is accepted proves nothing, however busy the machine is. */
export const ACCEPTED_PER_RUN_MIN = 5

/** Kills the server repeatedly while mail arrives, then compares accepted with stored mail. */
export async function killUnderLoad({
  kills,
  storage,
}: {
  kills: number
  storage: 'embedded' | 'folder'
}): Promise<CrashReport> {
  const dataDir = temporaryFolder()
  const folder = join(dataDir, 'mail')
  const environment = await withDatabase({
    DATA_DIR: dataDir,
    ...(storage === 'folder' ? { INBOX_STORAGE: `file:${folder}` } : {}),
  })
  const sent: Sent = new Map()
  let killsDuringStart = 0
  for (let kill = 1; kill <= kills; kill++) {
    const server = spawnServer({ environment })
    if (kill % STARTS_KILLED_ONE_IN === 0) {
      killsDuringStart++
      await killSoon(server, START_MS_MAX)
      continue
    }
    await server.ready
    const acceptedBefore = countAccepted(sent)
    const sending = Array.from({ length: CONNECTIONS }, () => sendUntilLost(server.smtpPort, sent))
    const hasAccepted = () => countAccepted(sent) - acceptedBefore >= ACCEPTED_PER_RUN_MIN
    await Promise.all([...sending, killOnce(hasAccepted, server)])
  }

  const server = await startChild({ environment })
  const countWaiting = () =>
    storage === 'folder' ? filesWaiting(folder) : unprocessedMail(join(dataDir, 'inbox.db')).length
  await vi.waitUntil(() => countWaiting() === 0, { timeout: RECOVERY_MS_MAX, interval: 50 })
  const messages = await listEverything(new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }))
  const exitCode = await server.stop()
  if (exitCode !== 0) throw new Error(`The server did not stop cleanly (${exitCode}): ${server.complaints()}`)

  const bucket = storage === 'folder' ? await openFolderBucket(folder) : openEmbeddedBucket(join(dataDir, 'inbox.db'))
  try {
    return { kills, killsDuringStart, ...(await compare(sent, messages, bucket)) }
  } finally {
    await bucket.close()
  }
}

function countAccepted(sent: Sent): number {
  return [...sent.values()].filter(({ isAccepted }) => isAccepted).length
}

async function killOnce(hasAccepted: () => boolean, server: ChildServer): Promise<void> {
  try {
    await vi.waitUntil(hasAccepted, { timeout: RECOVERY_MS_MAX })
  } finally {
    await killSoon(server, LIFE_MS_MAX)
  }
}

async function killSoon(server: ChildServer, msMax: number): Promise<void> {
  // Not a wait for a condition: the kill comes at a random moment.
  await delay(randomInt(msMax))
  await server.kill()
}

async function sendUntilLost(port: number, sent: Sent): Promise<void> {
  try {
    const client = await SmtpClient.connect(port)
    for (;;) {
      const id = `m${sent.size}`
      const raw = randomMail(id, randomSize(MAIL_BYTES))
      const mail = { hash: sha256(raw), isAccepted: false }
      sent.set(id, mail)
      const reply = await client.send({ to: `qa+${id}@mailhatch.test`, raw })
      if (!isAccepted(reply)) throw new Error(`A healthy server refused a mail: ${reply}`)
      mail.isAccepted = true
    }
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error
  }
}

function filesWaiting(folder: string): number {
  const names = readdirSync(join(folder, 'messages', 'unprocessed'), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.json')).length
}

async function compare(
  sent: Sent,
  messages: MessageSummary[],
  bucket: Bucket,
): Promise<Omit<CrashReport, 'kills' | 'killsDuringStart'>> {
  const accepted = [...sent].filter(([, mail]) => mail.isAccepted).map(([id]) => id)
  const counts = new Map<string, number>()
  const altered: string[] = []
  const unknown: string[] = []
  for (const message of messages) {
    const id = message.tag ?? ''
    counts.set(id, (counts.get(id) ?? 0) + 1)
    const mail = sent.get(id)
    if (!mail) unknown.push(message.to)
    else if (mail.hash !== sha256(await readRaw(bucket, message))) altered.push(id)
  }
  const found = [...counts.keys()]
  return {
    sent: sent.size,
    accepted: accepted.length,
    unasked: found.filter((id) => sent.get(id)?.isAccepted === false).length,
    lost: accepted.filter((id) => !counts.has(id)),
    doubled: found.filter((id) => counts.get(id)! > 1),
    altered,
    unknown,
    // One raw object and one metadata object per message.
    strayObjects: (await keysIn(bucket)).length - 2 * messages.length,
  }
}
