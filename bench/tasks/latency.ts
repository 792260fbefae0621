import { closeSync, fsyncSync, mkdtempSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient } from './http-client.ts'
import { mailCommands } from './mail.ts'
import { SmtpClient } from './smtp-client.ts'

export type LatencyOptions = {
  smtpPort: number
  apiPort: number
  apiKey: string
  mails: number
  /** On the same disk as the server's data. */
  folder: string
}

/** Milliseconds, one value per mail. */
export type LatencyResult = {
  acknowledgedToReadable: number[]
  sentToReadable: number[]
  syncedWrite: number[]
  sqliteCommit: number[]
}

const MAIL_BYTES = 2_000
/** Lets the server finish background work, such as moving the mail to processed, before the next step. */
const PAUSE_MS = 8
const WAIT_SECONDS = 20
const RECIPIENT = 'latency@mailhatch.test'

/** Sends one mail at a time to a held wait, and after each measures one synced file write and one SQLite commit. */
export async function measureLatency(options: LatencyOptions): Promise<LatencyResult> {
  const smtp = await SmtpClient.open(options.smtpPort)
  const http = new HttpClient(options.apiPort, options.apiKey)
  const disk = openDisk(options.folder)
  const commands = mailCommands({ sizeBytes: MAIL_BYTES, recipient: RECIPIENT })
  const result: LatencyResult = { acknowledgedToReadable: [], sentToReadable: [], syncedWrite: [], sqliteCommit: [] }
  let { cursor } = (await http.get('/v1/me')).body.data as { cursor: string }

  for (let mail = 0; mail < options.mails; mail++) {
    const waiting = http.get(`/v1/messages/latest?mailbox=latency&after=${cursor}&wait=${WAIT_SECONDS}`)
    await sleep(PAUSE_MS)
    await smtp.ask(commands.from)
    await smtp.ask(commands.recipient)
    await smtp.ask(commands.data)
    const sentAt = performance.now()
    const acknowledged = smtp.ask(commands.content)
    const [{ at: acknowledgedAt }, answer] = await Promise.all([acknowledged, waiting])
    if (answer.status !== 200) throw new Error(`A wait ended with ${answer.status}.`)
    cursor = answer.body.cursor as string
    result.acknowledgedToReadable.push(answer.at - acknowledgedAt)
    result.sentToReadable.push(answer.at - sentAt)
    await sleep(PAUSE_MS)
    result.syncedWrite.push(timed(disk.write))
    await sleep(PAUSE_MS)
    result.sqliteCommit.push(timed(disk.commit))
  }
  smtp.close()
  http.close()
  disk.close()
  return result
}

function timed(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

/** The minimum cost of storing a mail durably: appending it to a file, or committing one row. */
function openDisk(parent: string) {
  const folder = mkdtempSync(join(parent, 'disk-'))
  const bytes = Buffer.alloc(MAIL_BYTES, 'm')
  const file = openSync(join(folder, 'synced-writes'), 'a')
  const database = new DatabaseSync(join(folder, 'synced-commits.db'))
  database.exec('pragma journal_mode = wal; pragma synchronous = full; create table mails (body blob) strict')
  const insert = database.prepare('insert into mails (body) values (?)')
  return {
    write: () => {
      writeSync(file, bytes)
      fsyncSync(file)
    },
    commit: () => {
      insert.run(bytes)
    },
    close: () => {
      closeSync(file)
      database.close()
    },
  }
}
