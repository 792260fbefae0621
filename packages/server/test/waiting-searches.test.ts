import { onTestFinished, expect, test, vi } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { startServe } from '../src/program/node.ts'
import type { Database } from '../src/store/database.ts'
import { assemble, type Sql } from '../src/store/sql.ts'
import { reader } from './support/ask.ts'
import { boundDatabase } from './support/bound-database.ts'
import { withDatabase } from './support/journey-database.ts'
import { keptLogger } from './support/made-secrets.ts'
import { scrape, valueOf } from './support/scrape.ts'
import { NEVER_OVERLOADED, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'
import { isAccepted, SmtpClient } from './support/smtp-client.ts'

const KEY = 'key-of-the-waits-0123456789'
/** A column of messages, or of the candidates that an index lists. */
const SEARCHED = /received_at as "receivedAt"/

/** A server that records its searches for messages. */
async function start() {
  const searches: string[] = []
  const recording = (database: Database): Database => {
    const recorded =
      (run: Database['read']): Database['read'] =>
      (query: Sql) => {
        const { text } = assemble(query)
        if (SEARCHED.test(text)) searches.push(text)
        return run(query)
      }
    return boundDatabase({ ...database, read: recorded(database.read), lookup: recorded(database.lookup) })
  }
  const settings = await withDatabase({
    DATA_DIR: temporaryFolder(),
    PORT: '0',
    WORKER_PORT: '0',
    SMTP_PORT: '0',
    LOG_LEVEL: 'silent',
    METRICS: 'on',
    DISK_FREE_MIN: '0',
    INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET,
    BOOTSTRAP_API_KEY: KEY,
  })
  const config = readConfig('serve', settings)
  const running = await startServe(config, keptLogger(config.logLevel), {
    overload: NEVER_OVERLOADED,
    wrapDatabase: recording,
  })
  onTestFinished(() => running.close())
  const url = `http://127.0.0.1:${running.apiPort}`
  return {
    searches,
    smtpPort: running.smtpPort!,
    ...reader(url, KEY),
    untilHeld: (count: number) =>
      vi.waitFor(async () => expect(valueOf(await scrape(url), 'mailhatch_waits_held')).toBe(count)),
  }
}

test('a wait with a cursor searches nothing before its mail comes, and one without a cursor does', async () => {
  const { searches, smtpPort, me, latest, list, untilHeld } = await start()
  const { cursor: after } = await me()
  const other = latest({ tag: 'other', wait: 30 })
  await untilHeld(1)
  expect(searches).not.toEqual([])
  searches.length = 0
  const byTag = latest({ tag: 'mine', after, wait: 30 })
  const byMailbox = latest({ mailbox: 'qa+mine', after, wait: 30 })
  const listed = list({ tag: 'mine', after, wait: 30 })
  await untilHeld(4)
  expect(searches).toEqual([])
  const client = await SmtpClient.connect(smtpPort)
  for (const tag of ['mine', 'other']) {
    const raw = Buffer.from(`Subject: for ${tag}\r\n\r\nHello\r\n`)
    expect(isAccepted(await client.send({ to: `qa+${tag}@mailhatch.test`, raw }))).toBe(true)
  }
  client.close()
  const found = [(await byTag).data, (await byMailbox).data, ...(await listed).data, (await other).data]
  expect(found.map(({ tag }) => tag)).toEqual(['mine', 'mine', 'mine', 'other'])
})
