import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { API_KEY, startChild } from '../support/child-server.ts'
import { WITH_DELAYS } from '../support/largest-delay.ts'
import { openPeople } from '../support/people.ts'
import { temporaryFolder } from '../support/server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import type { GrammarMail } from './mail-grammar.ts'
import { runMails } from './mails-run.ts'

const preload = (path: string) => ['--import', fileURLToPath(new URL(path, import.meta.url))]
const WITH_FAULTS = [...preload('harmful-mail.ts'), ...preload('../support/deadly-mail.ts')]

/** A child that reports its delays, and a person who is signed in there. */
export async function startMailsServer(nodeArguments: string[] = []) {
  const dataDir = temporaryFolder()
  const environment = { DATA_DIR: dataDir, RATE_LIMIT: 'off' }
  const server = await startChild({ environment, nodeArguments: [...WITH_DELAYS, ...nodeArguments] })
  const people = await openPeople({ url: server.apiUrl, dataDir }, onTestFinished)
  // The first mail creates the mailbox and loads what the program needs for any mail.
  const client = await SmtpClient.connect(server.smtpPort)
  await client.send({ to: 'qa+first@mailhatch.test', raw: Buffer.from('Subject: first\r\n\r\nhello\r\n') })
  client.close()
  return { server, dashboard: await people.operator() }
}

/** The same run with a program that has faults: what it finds of them. One of the mails uses more than a gigabyte. */
export async function runWithFaults() {
  const { server, dashboard } = await startMailsServer(WITH_FAULTS)
  const { apiUrl } = server
  const run = (subject: string, onStored?: (message: { id: string }) => Promise<void>) => {
    const mails: GrammarMail[] = [{ name: subject, raw: Buffer.from(`Subject: ${subject}\r\n\r\nHello\r\n`) }]
    return runMails({ server, dashboard, mails, ...(onStored && { onStored }) })
  }
  const headers = { authorization: `Bearer ${API_KEY}` }
  async function remove({ id }: { id: string }): Promise<void> {
    await fetch(`${apiUrl}/v1/messages/${id}`, { method: 'DELETE', headers })
  }
  return {
    harmless: await run('Harmless mail'),
    blocking: await run('Blocking mail'),
    hoarding: await run('Hoarding mail'),
    removed: await run('Removed mail', remove),
    // The last one, because it ends the program.
    deadly: await run('deadly mail'),
  }
}
