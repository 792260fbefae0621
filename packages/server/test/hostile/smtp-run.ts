import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { openForReading } from '../../src/sqlite/connection.ts'
import { decodeMetadata } from '../../src/worker/metadata.ts'
import { API_KEY, type ChildServer } from '../support/child-server.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { listEverything, sha256 } from '../support/stored-mail.ts'
import { converse, type Conversation } from './smtp-conversation.ts'
import { beforeTls, CANARY, clientDialogue } from './smtp-grammar.ts'
import type { AcknowledgedMail } from './smtp-model.ts'

export type SmtpRun = {
  dialogues: number
  acknowledged: number
  /** Replies that the dialogue does not explain, in dialogues without and with injected commands. */
  unexplainedReplies: string[]
  injectedReplies: string[]
  unanswered: string[]
  /** Stored, but not among the mails of the dialogues, or not for these recipients. */
  secondMessages: string[]
  /** Of these, for an address that only smuggled or injected commands name. */
  canaries: number
  /** Acknowledged, but not stored with the same bytes for all recipients. */
  missing: string[]
  listedTwice: number
}

type RunOptions = {
  server: ChildServer
  dataDir: string
  seed: number
  count: number
  isTls: boolean
  replyMsMax?: number
  onProgress?: (done: number) => void
}

const CONNECTIONS = 24
/** For a machine that is busy with other tests. */
const REPLY_MS_MAX = 60_000
const PROGRESS_EVERY = 1_000
/** Far apart, so that the dialogues of one seed do not overlap with those of the next. */
const SEED_STRIDE = 1_000_003

/** Performs dialogues, and compares what the server has stored with what they say. The server must be new. */
export async function runDialogues(options: RunOptions): Promise<SmtpRun> {
  const { server, dataDir, seed, count, isTls, replyMsMax = REPLY_MS_MAX, onProgress } = options
  const run: SmtpRun = {
    dialogues: count,
    acknowledged: 0,
    unexplainedReplies: [],
    injectedReplies: [],
    unanswered: [],
    secondMessages: [],
    canaries: 0,
    missing: [],
    listedTwice: 0,
  }
  const mails: AcknowledgedMail[] = []
  let next = 0

  async function performSome(): Promise<void> {
    while (next < count) {
      const number = next++
      const { conversation, isInjected } = await perform({ port: server.smtpPort, seed, number, isTls, replyMsMax })
      const where = `dialogue ${number} of seed ${seed}${isTls ? ', TLS' : ''}`
      mails.push(...conversation.mails)
      const faults = conversation.faults.map((fault) => `${where}: ${fault}`)
      if (isInjected) run.injectedReplies.push(...faults)
      else run.unexplainedReplies.push(...faults)
      if (conversation.isUnanswered) run.unanswered.push(where)
      if (number % PROGRESS_EVERY === 0) onProgress?.(number)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, performSome))
  run.acknowledged = mails.length
  compareWithStored(run, mails, storedMails(dataDir))
  const ids = (await listEverything(new Mailhatch({ url: server.apiUrl, apiKey: API_KEY }))).map(({ id }) => id)
  run.listedTwice = ids.length - new Set(ids).size
  return run
}

type Numbered = { port: number; seed: number; number: number; isTls: boolean; replyMsMax: number }

/** The dialogue with this number, which depends only on the seed. */
async function perform({ port, seed, number, isTls, replyMsMax }: Numbered) {
  const random = seededRandom(seed * SEED_STRIDE + number)
  const name = `d${number}${isTls ? 's' : 'p'}`
  const plain = isTls ? beforeTls(random, name) : null
  const dialogue = clientDialogue(random, name)
  const conversation: Conversation = await converse({ port, random, dialogue, beforeTls: plain, replyMsMax })
  return { conversation, isInjected: plain !== null && plain.injected !== null }
}

type StoredMail = { to: string; hash: string }

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
      const { to, rawKey } = decodeMetadata(body as Uint8Array)
      return { to, hash: sha256((raw.get(rawKey)!['body'] ?? new Uint8Array()) as Uint8Array) }
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

/** The same for two spellings of a mailbox. */
function mailboxIn(line: string): string {
  const path = line.slice(line.indexOf(':') + 1).toLowerCase()
  return path.replace(/^<?@[^:]*:/, '').replaceAll(/["\\<> ]/g, '')
}
