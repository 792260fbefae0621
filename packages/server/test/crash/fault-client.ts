import { setTimeout as pause } from 'node:timers/promises'
import { API_KEY } from '../support/child-server.ts'
import { SmtpClient } from '../support/smtp-client.ts'
import { keysIn, readObject, sha256 } from '../support/stored-mail.ts'
import type { FaultyProgram } from './faulty-program.ts'

const DOMAIN = 'mailhatch.test'
const POLL_MS = 100

export type SentMail = { name: string; mailbox: string; tag: string; hash: string }
export type Listed = { id: string; tag: string }

export function newMail({ name, number, tag }: { name: string; number: string; tag: string }, bytes: number) {
  const mailbox = `box-${number}`
  const to = `${mailbox}+${tag}@${DOMAIN}`
  const line = `${name} ${'x'.repeat(60)}\r\n`
  const raw = Buffer.from(`Subject: ${tag}\r\nTo: ${to}\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}`)
  return { name, mailbox, tag, to, raw, hash: sha256(raw) }
}

/** Connects again after a lost connection, whose mail was not acknowledged. */
export function createSender(program: FaultyProgram) {
  let client: SmtpClient | null = null
  return {
    async send(mail: { to: string; raw: Uint8Array }): Promise<string> {
      try {
        client ??= await SmtpClient.connect(program.smtpPort())
        return await client.send(mail)
      } catch (error) {
        client?.close()
        client = null
        return `no reply: ${String(error)}`
      }
    },
    close: () => client?.close(),
  }
}

/**
 * Until the condition is met or the time has passed. Failures count as not met. Time in which all programs of this process
 * stood still does not count.
 */
export async function waitUpTo(milliseconds: number, isMet: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + milliseconds
  for (let polls = 0; performance.now() < until || polls * POLL_MS < milliseconds; polls++) {
    if (await isMet().catch(() => false)) return
    await pause(POLL_MS)
  }
}

export async function list(program: FaultyProgram, mailbox: string): Promise<Listed[]> {
  const response = await ask(program, `?mailbox=${mailbox}`)
  if (!response.ok) throw new Error(`The list has status ${response.status}: ${await response.text()}`)
  // The response of the API itself.
  return ((await response.json()) as { data: Listed[] }).data
}

export async function readRaw(program: FaultyProgram, id: string): Promise<Uint8Array | null> {
  const response = await ask(program, `/${id}/raw`)
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : (await response.body?.cancel(), null)
}

/** Resolves to the status. */
export async function deleteMessage(program: FaultyProgram, id: string): Promise<number> {
  const response = await ask(program, `/${id}`, 'DELETE')
  await response.body?.cancel()
  return response.status
}

function ask(program: FaultyProgram, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${program.apiUrl()}/v1/messages${path}`, { method, headers: { authorization: `Bearer ${API_KEY}` } })
}

/** Whether the bucket has the mail, announced or not. */
export async function hasBytes(program: FaultyProgram, { mailbox, hash }: SentMail): Promise<boolean> {
  const bucket = program.bucket()
  for (const key of await keysIn(bucket, `raw/${DOMAIN}/${mailbox}/`)) {
    if (sha256(await readObject(bucket, key)) === hash) return true
  }
  return false
}
