import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Announcement } from '@mailhatch/sdk'
import { afterAll } from 'vitest'
import { store } from './announce.ts'
import { reader } from './ask.ts'
import { runForJson } from './program.ts'
import { serveIn } from './server.ts'

/** One server for all tests of a file; call it at the top level. Closed after the last test. */
export async function startFileServer(environment: Record<string, string> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const running = await serveIn(dataDir, environment)
  afterAll(async () => {
    await running.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${running.apiPort}`
  const { apiKey } = running.firstStart!
  let mailboxes = 0
  return {
    url,
    apiKey,
    dataDir,
    smtpPort: running.smtpPort!,
    workerPort: running.workerPort!,
    /** With COMPAT. */
    compatUrl: `http://127.0.0.1:${running.compatPort}`,
    ...reader(url, apiKey),
    store: (changes?: Partial<Announcement>) => store(url, changes),
    /** A mailbox that no other test uses. */
    newMailbox: () => `box-${(mailboxes += 1)}`,
    /** Runs a command against this server and returns its output. */
    command: <Printed = { id: string }>(...words: string[]) =>
      runForJson<Printed>([...words, '--json'], { DATA_DIR: dataDir }),
  }
}
