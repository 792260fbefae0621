import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startProgram } from '../programs.ts'
import type { SmtpTarget } from './smtp-target.ts'

export type PeerName = 'mailpit' | 'inbucket'
export type Peer = { name: PeerName; binary: string }

type Settings = { args: string[]; environment: Record<string, string> }

const SETTINGS: Record<PeerName, (ports: { smtp: number; web: number }, data: string) => Settings> = {
  mailpit: ({ smtp, web }, data) => ({
    args: [
      `--smtp=127.0.0.1:${smtp}`,
      `--listen=127.0.0.1:${web}`,
      `--database=${join(data, 'mailpit.db')}`,
      // With the default limit of 500 messages it would delete mail during the measurement.
      '--max=0',
      '--quiet',
    ],
    environment: {},
  }),
  inbucket: ({ smtp, web }, data) => ({
    args: [],
    environment: {
      INBUCKET_SMTP_ADDR: `127.0.0.1:${smtp}`,
      INBUCKET_WEB_ADDR: `127.0.0.1:${web}`,
      INBUCKET_POP3_ADDR: '127.0.0.1:0',
      INBUCKET_STORAGE_TYPE: 'file',
      INBUCKET_STORAGE_PARAMS: `path:${data}`,
      INBUCKET_STORAGE_MAILBOXMSGCAP: '0',
      INBUCKET_LOGLEVEL: 'error',
    },
  }),
}

export function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(SETTINGS, name)
}

/** Starts a binary that the user provides; none is downloaded. */
export async function startPeer({ name, binary }: Peer, folder: string): Promise<SmtpTarget & { webPort: number }> {
  const smtp = await freePort()
  const web = await freePort()
  const data = mkdtempSync(join(folder, `${name}-`))
  const program = startProgram({ name, command: binary, folder, ...SETTINGS[name]({ smtp, web }, data) })
  await program.listening(smtp)
  return { name, smtpPort: smtp, webPort: web, stop: program.stop }
}
