import { setTimeout as sleep } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { SmtpClient } from '../support/smtp-client.ts'

const PAUSE_MS = 50
/** A new SMTP connection for one mail in this many; the others use an open one. */
const NEW_CONNECTION_ONE_IN = 5

type Server = { url: string; apiKey: string; smtpPort: number }

/** Milliseconds by kind of operation. A failed operation counts with the time until it failed. */
export type Behaved = { times: Map<string, number[]>; failures: string[]; stop(): Promise<void> }

/** Clients that send and read mail one operation at a time, like tests, until stopped. */
export function behaveWell({ url, apiKey, smtpPort }: Server, clients: number): Behaved {
  const sdk = new Mailhatch({ url, apiKey })
  const times = new Map<string, number[]>()
  const failures: string[] = []
  let isStopped = false
  let number = 0

  async function timed<Result>(kind: string, work: () => Promise<Result>): Promise<Result | null> {
    const startedAt = performance.now()
    try {
      return await work()
    } catch (error) {
      failures.push(`${kind}: ${String(error)}`)
      return null
    } finally {
      const all = times.get(kind) ?? []
      times.set(kind, all)
      all.push(performance.now() - startedAt)
    }
  }

  async function client(): Promise<void> {
    let smtp = await SmtpClient.connect(smtpPort)
    while (!isStopped) {
      const tag = `good${number++}`
      const mail = await timed('mail', async () => {
        if (number % NEW_CONNECTION_ONE_IN === 0) {
          smtp.close()
          smtp = await SmtpClient.connect(smtpPort)
        }
        const reply = await smtp.send({ to: `good+${tag}@mailhatch.test`, raw: RAW })
        if (!reply.startsWith('250 ')) throw new Error(reply)
        return sdk.messages.waitFor({ mailbox: 'good', tag })
      })
      await timed('list', () => sdk.messages.list({ mailbox: 'good', limit: 20 }))
      if (mail) {
        await timed('get', () => sdk.messages.get(mail.id))
        await timed('attachment', () => sdk.messages.attachment(mail.id, 0))
        await timed('raw', () => sdk.messages.raw(mail.id))
      }
      await sleep(PAUSE_MS)
    }
    smtp.close()
  }

  const running = Array.from({ length: clients }, client)
  return {
    times,
    failures,
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
  }
}

const RAW = Buffer.from(
  [
    'Subject: With a file',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the file',
    '--b',
    'Content-Type: application/octet-stream; name=a.bin',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.alloc(20_000, 7).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    '--b--',
    '',
  ].join('\r\n'),
)
