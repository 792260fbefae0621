import { once } from 'node:events'
import { Mailhatch, type MessageDetail } from '@mailhatch/sdk'
import { API_KEY, type ChildServer } from '../support/child-server.ts'
import { expectDocumented } from '../support/documented.ts'
import { largestWorkMs } from '../support/largest-delay.ts'
import { largestMebibytes } from '../support/resident-memory.ts'
import { ConnectionLost, isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { sha256 } from '../support/stored-mail.ts'
import type { GrammarMail } from './mail-grammar.ts'

export type MailsRun = {
  sent: number
  refused: number
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
  /** Of the event loop, in processor time, for the worst mail; the best of several tries. */
  stretchMs: number
  /** The same at the first try, with garbage collection and compilation. */
  firstStretchMs: number
  stretches: { name: string; ms: number }[]
  /** Mails that were tried alone, because their batch took too long at a stretch. */
  triedAlone: number
  memoryMiB: number
}

/** What a signed-in person's browser asks. */
export type Dashboard = { headers: Record<string, string> }

type RunOptions = {
  /** Started with WITH_DELAYS. */
  server: ChildServer
  dashboard: Dashboard
  mails: Iterable<GrammarMail>
  /** How long an accepted mail may take until it can be read. */
  storedMsMax?: number
  /** Called with each message before it is read. */
  onStored?: (message: MessageDetail) => Promise<void>
  onProgress?: (sent: number) => void
}

/** Processor time of one turn of the event loop that a person would not notice. */
export const STRETCH_MS_MAX = 200
/** A turn may also collect garbage or compile. The best try is what the mail itself costs. */
const TRIES = 3
const BATCH = 40
const CONNECTIONS = 4
/** Some mails have a thousand. */
const ATTACHMENTS_READ = 3
const SEARCH_CHARACTERS = 60
/**
 * A search reads the text of all long mail that it covers, up to 2 ms per MB. With all mail before it for each mail, the run would
 * take time quadratic in the number of mails, so most searches cover only what has arrived since.
 */
const SEARCHED_IN_ALL_EVERY = 20
/** For a machine that is busy with other tests. */
const STORED_MS_MAX = 90_000
const EXIT_MS_MAX = 20_000

/** Over all runs, because several use the same server. */
let tags = 0

/** Sends each mail over SMTP, reads it in every way that there is, and measures the server meanwhile. */
export async function runMails(options: RunOptions): Promise<MailsRun> {
  const { server, dashboard, mails, storedMsMax = STORED_MS_MAX, onStored, onProgress } = options
  const run: MailsRun = {
    sent: 0,
    refused: 0,
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
  const sdk = new Mailhatch({ url: server.apiUrl, apiKey: API_KEY })
  const hasEnded = () => server.process.exitCode !== null || server.process.signalCode !== null
  const ended = new AbortController()
  server.process.once('exit', () => ended.abort())

  /** A server that does not end closed the connection for another reason, and the caller reports that. */
  async function waitForEnd(): Promise<void> {
    if (hasEnded()) return
    await once(server.process, 'exit', { signal: AbortSignal.timeout(EXIT_MS_MAX) }).catch(() => {})
  }

  async function request(path: string, headers: Record<string, string>): Promise<Response> {
    return fetch(server.apiUrl + path, { headers })
  }

  async function download(path: string): Promise<Uint8Array> {
    const answer = await request(path, { authorization: `Bearer ${API_KEY}` })
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    return new Uint8Array(await answer.arrayBuffer())
  }

  async function json<Body>(path: string): Promise<Body> {
    const url = server.apiUrl + path
    const answer = await request(path, { authorization: `Bearer ${API_KEY}` })
    const body = (await answer.json()) as Body
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    expectDocumented('GET', url, { status: answer.status, headers: answer.headers, body })
    return body
  }

  /** A query of the dashboard's procedures. */
  async function query<Result>(procedure: string, input: object): Promise<Result> {
    const path = `/trpc/${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`
    const answer = await request(path, dashboard.headers)
    if (answer.status !== 200) throw new Error(`${procedure} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { result: { data: Result } }).result.data
  }

  async function readByApi(message: MessageDetail, { name, raw }: GrammarMail): Promise<void> {
    const { id, tag, subject } = message
    const detail = await json<{ data: MessageDetail }>(`/v1/messages/${id}`)
    const listed = await json<{ data: { id: string }[] }>(`/v1/messages?tag=${tag}`)
    if (!listed.data.some((one) => one.id === id)) throw new Error('it is not listed')
    const words = searchable(subject)
    const search = new URLSearchParams({ limit: '5', q: words, ...searchedSince(message) })
    if (words !== '') await json(`/v1/messages?${search}`)
    if (sha256(await download(`/v1/messages/${id}/raw`)) !== sha256(raw)) run.changed.push(name)
    for (const { index, size } of detail.data.attachments.slice(0, ATTACHMENTS_READ)) {
      const { byteLength } = await download(`/v1/messages/${id}/attachments/${index}`)
      if (byteLength !== size) run.changed.push(`${name}: attachment ${index} has ${byteLength} bytes, not ${size}`)
    }
  }

  async function readInDashboard(message: MessageDetail): Promise<void> {
    const { id, attachments, subject } = message
    await query('inbox.messages.get', { id })
    await query('inbox.messages.previews', { ids: [id] })
    const words = searchable(subject)
    if (words !== '') await query('inbox.messages.list', { q: words, limit: 5, ...searchedSince(message) })
    await view({ id, attachment: null, remoteImages: true }, [200])
    // Most kinds of attachments have no preview.
    for (const { index } of attachments.slice(0, 1))
      await view({ id, attachment: index, remoteImages: false }, [200, 404])
  }

  async function view(input: object, statuses: number[]): Promise<void> {
    const { path } = await query<{ path: string }>('inbox.messages.view', input)
    const answer = await request(path, {})
    await answer.text()
    if (!statuses.includes(answer.status)) throw new Error(`its view answered ${answer.status}`)
  }

  async function deliver(client: SmtpClient, mail: GrammarMail): Promise<'refused' | 'accepted'> {
    const tag = `m${tags++}`
    const reply = await client.send({ to: `qa+${tag}@mailhatch.test`, raw: mail.raw }).catch((error: unknown) => {
      throw error instanceof ConnectionLost ? new ConnectionLost(`${mail.name}: ${error.message}`) : error
    })
    if (!isAccepted(reply)) {
      run.refused++
      return 'refused'
    }
    await readAccepted(mail, tag)
    return 'accepted'
  }

  async function readAccepted(mail: GrammarMail, tag: string): Promise<void> {
    const patience = { timeout: storedMsMax, signal: ended.signal }
    const message = await sdk.messages.waitFor({ tag }, patience).catch(() => null)
    if (hasEnded()) throw new ConnectionLost('The server ended.')
    if (!message) {
      if (await isSetAside(tag)) run.marked++
      else run.lost.push(mail.name)
      return
    }
    await onStored?.(message)
    try {
      await readByApi(message, mail)
      await readInDashboard(message)
      if (message.parse === 'complete') run.readable++
      else run.marked++
    } catch (error) {
      run.unreadable.push(`${mail.name}: ${(error as Error).message.slice(0, 300)}`)
    }
  }

  async function isSetAside(tag: string): Promise<boolean> {
    const { data } = await json<{ data: { to: string }[] }>('/v1/rejections')
    return data.some(({ to }) => to.includes(`+${tag}@`))
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

  /** If the batch took too long at a stretch, each of its mails is tried alone. Only the first try of a mail is counted. */
  async function measure(batch: GrammarMail[]): Promise<void> {
    await deliverAll(batch)
    const ms = await largestWorkMs(server)
    run.firstStretchMs = Math.max(run.firstStretchMs, ms)
    if (ms <= STRETCH_MS_MAX) {
      run.stretchMs = Math.max(run.stretchMs, ms)
      return
    }
    run.triedAlone += batch.length
    const { refused, readable, marked } = run
    for (const mail of batch) {
      let best = Infinity
      for (let attempt = 0; attempt < TRIES && best > STRETCH_MS_MAX; attempt++) {
        await deliverAll([mail])
        best = Math.min(best, await largestWorkMs(server))
      }
      run.stretchMs = Math.max(run.stretchMs, best)
      if (best > STRETCH_MS_MAX) run.stretches.push({ name: mail.name, ms: Math.round(best) })
    }
    Object.assign(run, { refused, readable, marked })
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
  }
  run.exits = hasEnded() ? 1 : 0
  return run
}

/** Filters are at most this long, and have no NUL and no half characters. */
function searchable(subject: string): string {
  return subject.slice(0, SEARCH_CHARACTERS).replaceAll('\0', '').toWellFormed().trim()
}

/** Tags are numbered. */
function searchedSince({ tag, receivedAt }: MessageDetail): { since?: string } {
  return Number(tag?.slice(1)) % SEARCHED_IN_ALL_EVERY === 0 ? {} : { since: receivedAt }
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
