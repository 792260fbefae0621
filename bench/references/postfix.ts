import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startProgram } from '../programs.ts'
import type { SmtpTarget } from './smtp-target.ts'

// Postfix includes two test programs: smtp-sink accepts and discards mail, smtp-source sends it.

const SOURCE_MS_MAX = 60_000
const BACKLOG = '1000'

export function findPostfixProgram(name: 'smtp-sink' | 'smtp-source'): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null
}

/** An upper bound for the generator: smtp-sink stores nothing. */
export async function startSmtpSink(command: string, folder: string): Promise<SmtpTarget> {
  const port = await freePort()
  const name = 'Postfix smtp-sink (stores nothing)'
  // smtp-sink refuses to run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const args = [...user, `127.0.0.1:${port}`, BACKLOG]
  const program = startProgram({ name, command, args, folder })
  await program.listening(port)
  return { name, smtpPort: port, stop: program.stop }
}

export type SmtpSourceOptions = {
  command: string
  port: number
  recipient: string
  sizeBytes: number
  connections: number
  reuse: boolean
  mails: number
}

/** Sends mail with Postfix's generator; resolves to the elapsed milliseconds. */
export async function runSmtpSource(options: SmtpSourceOptions): Promise<number> {
  const { command, port, recipient, sizeBytes, connections, reuse, mails } = options
  const args = ['-s', String(connections), '-m', String(mails), '-l', String(sizeBytes)]
  args.push('-f', 'no-reply@shop.test', '-t', recipient, ...(reuse ? ['-d'] : []), `127.0.0.1:${port}`)
  const startedAt = performance.now()
  await promisify(execFile)(command, args, { timeout: SOURCE_MS_MAX })
  return performance.now() - startedAt
}
