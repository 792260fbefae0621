import { onTestFinished } from 'vitest'
import { API_KEY, startChild } from '../support/child-server.ts'
import { WITH_DELAYS } from '../support/largest-delay.ts'
import { openPeople } from '../support/people.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import type { GrammarMail } from './mail-grammar.ts'
import { runMails, type MailsRun } from './mails-run.ts'

const WITH_FAULTS = preload('hostile/harmful-mail.ts', 'support/deadly-mail.ts', 'hostile/careless-worker.ts')
/** The dropped mail never becomes readable. */
const DROPPED_MS_MAX = 2_000

/** The deadly mail ends the program, and the hoarding one uses more than a gigabyte. */
export type FaultySubject =
  | 'Harmless mail'
  | 'Blocking mail'
  | 'At first blocking mail'
  | 'Hoarding mail'
  | 'Removed mail'
  | 'Refused mail'
  | 'Dropped mail'
  | 'Changed mail'
  | 'Deadly mail'

type MailsServerOptions = { nodeArguments?: string[]; settings?: Record<string, string> }

/** A child that reports its delays, and a person who is signed in there. */
export async function startMailsServer({ nodeArguments = [], settings = {} }: MailsServerOptions = {}) {
  const dataDir = temporaryFolder()
  const environment = { DATA_DIR: dataDir, RATE_LIMIT: 'off', ...settings }
  const server = await startChild({ environment, nodeArguments: [...WITH_DELAYS, ...nodeArguments] })
  const people = await openPeople({ url: server.apiUrl, dataDir }, onTestFinished)
  // The first mail creates the mailbox and loads what the program needs for any mail.
  const client = await SmtpClient.connect(server.smtpPort)
  await client.send({ to: 'qa+first@mailhatch.test', raw: Buffer.from('Subject: first\r\n\r\nhello\r\n') })
  client.close()
  return { server, dashboard: await people.operator() }
}

/** A program with faults. Each fault belongs to one subject; the run of a mail shows what is found of it. */
export async function startFaultyServer() {
  const { server, dashboard } = await startMailsServer({ nodeArguments: WITH_FAULTS })
  const headers = { authorization: `Bearer ${API_KEY}` }
  async function remove({ id }: { id: string }): Promise<void> {
    await fetch(`${server.apiUrl}/v1/messages/${id}`, { method: 'DELETE', headers })
  }
  function runMail(subject: FaultySubject): Promise<MailsRun> {
    const mails: GrammarMail[] = [{ name: subject, raw: Buffer.from(`Subject: ${subject}\r\n\r\nHello\r\n`) }]
    return runMails({
      server,
      dashboard,
      mails,
      ...(subject === 'Dropped mail' && { storedMsMax: DROPPED_MS_MAX }),
      ...(subject === 'Removed mail' && { onStored: remove }),
    })
  }
  return runMail
}
