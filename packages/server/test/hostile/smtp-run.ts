import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { openForReading } from '../../src/sqlite/connection.ts'
import { decodeMetadata } from '../../src/worker/metadata.ts'
import { API_KEY, type ChildServer } from '../support/child-server.ts'
import { numberedRandom } from '../support/seeded-random.ts'
import { listEverything, sha256 } from '../support/stored-mail.ts'
import { converse, type Conversation } from './smtp-conversation.ts'
import { beforeTls, CANARY, clientDialogue, STARTTLS_ALONE } from './smtp-grammar.ts'
import type { AcknowledgedMail } from './smtp-model.ts'

export type SmtpRun = {
  dialogues: number
  /** Dialogues that took place after a TLS handshake. */
  encrypted: number
  /** Connections on which an attacker in the middle added commands behind STARTTLS. */
  injected: number
  acknowledged: number
  /** Replies that the dialogue does not explain, in dialogues without and with injected commands. */
  unexplainedReplies: string[]
  injectedReplies: string[]
  /** Replies in plain text where the TLS handshake has to be, with and without injected commands. */
  plainReplies: string[]
  unanswered: string[]
  /** Stored or listed, but not among the mails of the dialogues, not for these recipients, or once more. */
  secondMessages: string[]
  /** Of these, for an address that only smuggled or injected commands name. */
  canaries: number
  /** Acknowledged, but not stored with the same bytes for all recipients. */
  missing: string[]
  /** The server ended. What it has stored is not compared then. */
  hasExited: boolean
}

type RunOptions = {
  server: ChildServer
  dataDir: string
  seed: number
  /** The number of the first dialogue. */
  first?: number
  count: number
  isTls: boolean
  replyMsMax?: number
  onProgress?: (done: number) => void
}

const CONNECTIONS = 24
/** For a machine that is busy with other tests. */
const REPLY_MS_MAX = 60_000
const PROGRESS_EVERY = 1_000
/** Performs dialogues, and compares what the server has stored with what they say. The server must be new. */
export async function runDialogues(options: RunOptions): Promise<SmtpRun> {
  const { server, dataDir, seed, count, isTls, replyMsMax = REPLY_MS_MAX, onProgress } = options
  const { smtpPort } = server
  const run: SmtpRun = {
    dialogues: 0,
    encrypted: 0,
    injected: 0,
    acknowledged: 0,
    unexplainedReplies: [],
    injectedReplies: [],
    plainReplies: [],
    unanswered: [],
    secondMessages: [],
    canaries: 0,
    missing: [],
    hasExited: false,
  }
  const mails: AcknowledgedMail[] = []
  const { first = 0 } = options
  let next = first

  async function performSome(): Promise<void> {
    while (next < first + count) {
      const number = next++
      const where = `dialogue ${number} of seed ${seed}${isTls ? ', TLS' : ''}`
      for (const connection of await perform({ port: smtpPort, seed, number, isTls, replyMsMax }))
        add(connection, where)
      run.dialogues++
      if (number % PROGRESS_EVERY === 0) onProgress?.(number)
    }
  }

  function add({ conversation, isInjected }: Connection, where: string): void {
    mails.push(...conversation.mails)
    if (conversation.isEncrypted) run.encrypted++
    if (isInjected) run.injected++
    const located = (fault: string) => `${where}: ${fault}`
    const faults = conversation.faults.map(located)
    run.plainReplies.push(...conversation.plainReplies.map(located))
    if (isInjected) run.injectedReplies.push(...faults)
    else run.unexplainedReplies.push(...faults)
    if (conversation.isUnanswered) run.unanswered.push(where)
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, performSome))
  run.acknowledged = mails.length
  run.hasExited = server.process.exitCode !== null || server.process.signalCode !== null
  if (run.hasExited) return run
  // Listed first, because everything that is listed was stored before.
  const listed = await listEverything(new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }))
  const stored = storedMails(dataDir)
  compareWithStored(run, mails, stored)
  run.secondMessages.push(...unknownOrListedAgain(listed, stored))
  return run
}

type Numbered = { port: number; seed: number; number: number; isTls: boolean; replyMsMax: number }
type Connection = { conversation: Conversation; isInjected: boolean }

/**
 * The connections of the dialogue with this number, which depends only on the seed. A client that could not begin TLS
 * connects again, now without an attacker.
 */
async function perform({ port, seed, number, isTls, replyMsMax }: Numbered): Promise<Connection[]> {
  const random = numberedRandom(seed, number)
  const name = `d${number}${isTls ? 's' : 'p'}`
  const plain = isTls ? beforeTls(random, name) : null
  const dialogue = clientDialogue(random, name)
  const conversation = await converse({ port, random, dialogue, beforeTls: plain, replyMsMax })
  const first = { conversation, isInjected: plain !== null && plain.injected !== null }
  if (!isTls || conversation.isEncrypted) return [first]
  const again = await converse({ port, random, dialogue, beforeTls: STARTTLS_ALONE, replyMsMax })
  return [first, { conversation: again, isInjected: false }]
}

type StoredMail = { id: string; to: string; hash: string }

/** Everything in the bucket, also mail for addresses that no team has. Read while the program has the file open. */
function storedMails(dataDir: string): StoredMail[] {
  const connection = openForReading(join(dataDir, 'inbox.db'))
  try {
    // Recipients of one mail share its bytes. None of these mails has more than one part; an empty one has none.
    const raw = connection.prepare(
      'select coalesce(objects.body, parts.body) as body from objects left join parts using (upload) where key = ?',
    )
    // One statement for both statuses, because a mail may be moved meanwhile.
    const rows = connection.prepare(`select body from objects where key >= 'messages/' and key < 'messages0'`).all()
    return rows.map(({ body }) => {
      const { id, to, rawKey } = decodeMetadata(body as Uint8Array)
      return { id, to, hash: sha256((raw.get(rawKey)!['body'] ?? new Uint8Array()) as Uint8Array) }
    })
  } finally {
    connection.close()
  }
}

function compareWithStored(run: SmtpRun, mails: AcknowledgedMail[], stored: StoredMail[]): void {
  const expected = new Map<string, string[]>()
  for (const { content, recipients } of mails) {
    const hash = sha256(content)
    expected.set(hash, [...(expected.get(hash) ?? []), ...recipients])
  }
  const found = new Map<string, Set<string>>()
  for (const { to, hash } of stored) {
    const lines = expected.get(hash) ?? []
    // The address is stored as it was given.
    const index = lines.findIndex((line) => line.includes(to))
    if (index === -1) {
      run.secondMessages.push(to)
      if (to.includes(CANARY)) run.canaries++
      continue
    }
    const [line = ''] = lines.splice(index, 1)
    found.set(hash, (found.get(hash) ?? new Set()).add(mailboxIn(line)))
  }
  for (const [hash, lines] of expected) {
    // A mailbox that was named twice gets one message.
    run.missing.push(...lines.filter((line) => !found.get(hash)?.has(mailboxIn(line))))
  }
}

/** Messages of the API that do not belong to one stored mail each. */
function unknownOrListedAgain(listed: { id: string; to: string }[], stored: StoredMail[]): string[] {
  const left = new Set(stored.map(({ id }) => id))
  return listed.filter(({ id }) => !left.delete(id)).map(({ to }) => to)
}

/** The same for two spellings of a mailbox. */
function mailboxIn(line: string): string {
  const path = line.slice(line.indexOf(':') + 1).toLowerCase()
  return path.replace(/^<?@[^:]*:/, '').replaceAll(/["\\<> ]/g, '')
}
