import { once } from 'node:events'
import { Mailhatch, type MessageDetail } from '@mailhatch/sdk'
import { API_KEY, type ChildServer } from '../support/child-server.ts'
import { largestWorkMs } from '../support/largest-delay.ts'
import { largestMebibytes } from '../support/resident-memory.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { ConnectionLost } from '../support/smtp-replies.ts'
import { expectedRefusals, SIZE_BYTES_MAX } from './expected-refusals.ts'
import type { GrammarMail } from './mail-grammar.ts'
import { mailReader, type Dashboard } from './mail-reader.ts'

export type MailsRun = {
  sent: number
  /** Above a limit of SMTP, which has to refuse it. */
  aboveLimit: number
  /** How many got each reply that is a refusal. */
  refusals: Map<string, number>
  /** Refused for a limit that the mail keeps, or with a reply that no mail of the run explains. */
  wronglyRefused: string[]
  /** Parsed completely. */
  readable: number
  /** A limit cut something off, only the raw mail is available, or it was set aside. */
  marked: number
  /** Accepted, but neither. */
  lost: string[]
  /** Other bytes than were sent, or an attachment of another size. */
  changed: string[]
  /** A response that is not a success, or not as documented. */
  unreadable: string[]
  exits: number
  /** Of the event loop, in processor time, for the worst mail: in its batch, or the best of its attempts alone. */
  stretchMs: number
  /** The same for the worst batch, with garbage collection, compilation, and whatever mail shares a turn. */
  firstStretchMs: number
  stretches: { name: string; ms: number }[]
  /** Mail that was sent again alone, because its batch took too long at a stretch. */
  triedAlone: number
  memoryMiB: number
}

type RunOptions = {
  /** Started with WITH_DELAYS. */
  server: ChildServer
  dashboard: Dashboard
  mails: Iterable<GrammarMail>
  /** SMTP_MAX_SIZE of the server. */
  sizeBytesMax?: number
  /** How long an accepted mail may take until it can be read. */
  storedMsMax?: number
  /** Called with each message before it is read. */
  onStored?: (message: MessageDetail) => Promise<void>
  onProgress?: (sent: number) => void
}

/** Processor time of one turn of the event loop that a person would not notice. */
export const STRETCH_MS_MAX = 200
/** The same for a whole batch. A person would notice it, once. */
export const FIRST_STRETCH_MS_MAX = 1_000
/**
 * A turn may also collect garbage, compile, or process other mail of the batch. The best of several attempts alone is what the
 * mail itself costs.
 */
export const ATTEMPTS = 3
export const BATCH = 40
export const CONNECTIONS = 4
/** For a machine that is busy with other tests. */
const STORED_MS_MAX = 90_000
const EXIT_MS_MAX = 20_000

/** Over all runs, because several use the same server. */
let tags = 0

/** Sends each mail over SMTP, reads it in every way that there is, and measures the server meanwhile. */
export async function runMails(options: RunOptions): Promise<MailsRun> {
  const { server, mails, sizeBytesMax = SIZE_BYTES_MAX, storedMsMax = STORED_MS_MAX, onStored, onProgress } = options
  const run: MailsRun = {
    sent: 0,
    aboveLimit: 0,
    refusals: new Map(),
    wronglyRefused: [],
    readable: 0,
    marked: 0,
    lost: [],
    changed: [],
    unreadable: [],
    exits: 0,
    stretchMs: 0,
    firstStretchMs: 0,
    stretches: [],
    triedAlone: 0,
    memoryMiB: 0,
  }
  const reader = mailReader(server, options.dashboard)
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const hasEnded = () => server.process.exitCode !== null || server.process.signalCode !== null
  const ended = new AbortController()
  const onExit = () => ended.abort()
  server.process.once('exit', onExit)

  /** A server that does not end closed the connection for another reason, and the caller reports that. */
  async function waitForEnd(): Promise<void> {
    if (hasEnded()) return
    await once(server.process, 'exit', { signal: AbortSignal.timeout(EXIT_MS_MAX) }).catch(() => {})
  }

  async function deliver(client: SmtpClient, mail: GrammarMail): Promise<'refused' | 'accepted'> {
    const tag = `m${tags++}`
    const reply = await client.send({ to: `qa+${tag}@mailhatch.test`, raw: mail.raw }).catch((error: unknown) => {
      throw error instanceof ConnectionLost ? new ConnectionLost(`${mail.name}: ${error.message}`) : error
    })
    const expected = expectedRefusals(mail.raw, { sizeBytesMax })
    if (expected.length > 0) run.aboveLimit++
    if (isAccepted(reply)) {
      await readAccepted(mail, tag)
      return 'accepted'
    }
    const text = reply.trimEnd()
    run.refusals.set(text, (run.refusals.get(text) ?? 0) + 1)
    if (!expected.some((start) => reply.startsWith(start))) run.wronglyRefused.push(`${mail.name}: ${text}`)
    return 'refused'
  }

  async function readAccepted(mail: GrammarMail, tag: string): Promise<void> {
    const patience = { timeout: storedMsMax, signal: ended.signal }
    const message = await sdk.messages.waitFor({ tag }, patience).catch(() => null)
    if (hasEnded()) throw new ConnectionLost('The server ended.')
    if (!message) {
      if (await reader.isSetAside(tag)) run.marked++
      else run.lost.push(mail.name)
      return
    }
    await onStored?.(message)
    try {
      run.changed.push(...(await reader.readByApi(message, mail)))
      await reader.readInDashboard(message)
      if (message.parse === 'complete') run.readable++
      else run.marked++
    } catch (error) {
      run.unreadable.push(`${mail.name}: ${(error as Error).message.slice(0, 300)}`)
    }
  }

  async function deliverAll(batch: GrammarMail[]): Promise<void> {
    const left = [...batch]
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (left.length > 0) await deliverUntilRefused(left)
      }),
    )
  }

  /** A refusal may end the connection, as that of a mail of more than twice the limit does. The next mail gets a new one. */
  async function deliverUntilRefused(left: GrammarMail[]): Promise<void> {
    const client = await SmtpClient.connect(server.smtpPort)
    try {
      for (let mail = left.shift(); mail; mail = left.shift()) {
        if ((await deliver(client, mail)) === 'refused') return
      }
    } finally {
      client.close()
    }
  }

  /** If the batch took too long at a stretch, each of its mails is sent alone. Of a repeated mail, only faults are counted again. */
  async function measure(batch: GrammarMail[]): Promise<void> {
    await deliverAll(batch)
    const ms = await largestWorkMs(server)
    run.firstStretchMs = Math.max(run.firstStretchMs, ms)
    if (ms <= STRETCH_MS_MAX) {
      run.stretchMs = Math.max(run.stretchMs, ms)
      return
    }
    run.triedAlone += batch.length
    const { aboveLimit, readable, marked } = run
    const refusals = new Map(run.refusals)
    for (const mail of batch) {
      let best = Infinity
      for (let attempt = 0; attempt < ATTEMPTS && best > STRETCH_MS_MAX; attempt++) {
        await deliverAll([mail])
        best = Math.min(best, await largestWorkMs(server))
      }
      run.stretchMs = Math.max(run.stretchMs, best)
      if (best > STRETCH_MS_MAX) run.stretches.push({ name: mail.name, ms: Math.round(best) })
    }
    Object.assign(run, { aboveLimit, refusals, readable, marked })
  }

  // What the server has done before does not count.
  await largestWorkMs(server)
  try {
    for (const batch of batchesOf(mails)) {
      await measure(batch)
      run.sent += batch.length
      run.memoryMiB = largestMebibytes(server.process.pid!)
      onProgress?.(run.sent)
    }
  } catch (error) {
    // The mail that ends the server takes all connections with it, before its end is known here.
    if (error instanceof ConnectionLost) await waitForEnd()
    if (!hasEnded()) throw error
  } finally {
    server.process.off('exit', onExit)
  }
  run.exits = hasEnded() ? 1 : 0
  return run
}

function* batchesOf(mails: Iterable<GrammarMail>): Generator<GrammarMail[]> {
  let batch: GrammarMail[] = []
  for (const mail of mails) {
    batch.push(mail)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
