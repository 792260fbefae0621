import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort, startProgram } from '../programs.ts'
import { getRequest } from '../tasks/http-client.ts'
import type { Peer, RunningPeer } from './peer.ts'

export type PeerName = 'mailpit' | 'inbucket' | 'greenmail'

type Ports = { smtp: number; http: number }

type Description = {
  title: string
  launch: (file: string, ports: Ports, data: string) => Launch
  /** Answers as soon as the program is ready. */
  readyPath: string
  keepsFiles: boolean
  latestPath: (address: string) => string
  searchPath?: (word: string) => string
  /** Where the number of messages is. Without one, a mail can be read before its 250. */
  count?: { path: string; in: string }
}

type Launch = { command: string; args: string[]; environment?: Record<string, string> }

/** Mail that is not readable by then counts as lost. */
const READABLE_MS_MAX = 60_000
const POLL_MS = 10

const localPartOf = (address: string) => address.slice(0, address.indexOf('@'))

const PROGRAMS: Record<PeerName, Description> = {
  mailpit: {
    title: 'Mailpit',
    launch: (file, { smtp, http }, data) => ({
      command: file,
      args: [
        `--smtp=127.0.0.1:${smtp}`,
        `--listen=127.0.0.1:${http}`,
        `--database=${join(data, 'mailpit.db')}`,
        // With the default limit of 500 messages it would delete mail during the measurement.
        '--max=0',
        '--quiet',
      ],
    }),
    readyPath: '/livez',
    keepsFiles: true,
    latestPath: (address) => `/api/v1/message/latest?query=${encodeURIComponent(`to:"${address}"`)}`,
    searchPath: (word) => `/api/v1/search?limit=50&query=${encodeURIComponent(`"${word}"`)}`,
    count: { path: '/api/v1/messages?limit=1', in: 'total' },
  },
  inbucket: {
    title: 'Inbucket',
    launch: (file, { smtp, http }, data) => ({
      command: file,
      args: [],
      environment: {
        INBUCKET_SMTP_ADDR: `127.0.0.1:${smtp}`,
        INBUCKET_WEB_ADDR: `127.0.0.1:${http}`,
        INBUCKET_POP3_ADDR: '127.0.0.1:0',
        INBUCKET_STORAGE_TYPE: 'file',
        INBUCKET_STORAGE_PARAMS: `path:${data}`,
        INBUCKET_STORAGE_MAILBOXMSGCAP: '0',
        INBUCKET_LOGLEVEL: 'error',
      },
    }),
    readyPath: '/api/v1/mailbox/none',
    keepsFiles: true,
    latestPath: (address) => `/api/v1/mailbox/${localPartOf(address)}/latest`,
  },
  greenmail: {
    title: 'GreenMail',
    launch: (file, { smtp, http }) => ({
      command: 'java',
      args: [
        '-Dgreenmail.smtp.hostname=127.0.0.1',
        `-Dgreenmail.smtp.port=${smtp}`,
        '-Dgreenmail.api.hostname=127.0.0.1',
        `-Dgreenmail.api.port=${http}`,
        '-Dgreenmail.auth.disabled',
        '-jar',
        file,
      ],
    }),
    readyPath: '/api/service/readiness',
    keepsFiles: false,
    latestPath: (address) => `/api/user/${encodeURIComponent(address)}/messages/INBOX`,
  },
}

export const PEER_NAMES = Object.keys(PROGRAMS) as PeerName[]

export function isPeerName(name: string): name is PeerName {
  return Object.hasOwn(PROGRAMS, name)
}

/** The paths of a program's API for the newest mail of an address, and for the mails with a word. */
export function pathsOf(name: PeerName): Pick<Description, 'latestPath' | 'searchPath'> {
  return PROGRAMS[name]
}

/** A program from a file that the user provides; none is downloaded. */
export function peerFrom(name: PeerName, file: string): Peer {
  const { launch, ...description } = PROGRAMS[name]
  return {
    name: description.title,
    start: (folder) => startPeer(description, folder, (ports, data) => launch(file, ports, data)),
  }
}

/** Starts a program on free ports, in a new data folder inside `folder`. */
export async function startPeer(
  { title, readyPath, keepsFiles, latestPath, searchPath, count }: Omit<Description, 'launch'>,
  folder: string,
  launch: (ports: Ports, data: string) => Launch,
): Promise<RunningPeer> {
  const ports = { smtp: await freePort(), http: await freePort() }
  const data = mkdtempSync(join(folder, `${title.toLowerCase().replaceAll(/\W/g, '-')}-`))
  const url = `http://127.0.0.1:${ports.http}`
  const startedAt = performance.now()
  const program = startProgram({ name: title, folder, ...launch(ports, data) })
  await program.listening(ports.smtp)
  await program.listening(ports.http)
  await (await fetch(url + readyPath)).arrayBuffer()

  async function countMessages({ path, in: field }: { path: string; in: string }): Promise<number> {
    // Programs that have a count respond with a JSON object.
    const body = (await (await fetch(url + path)).json()) as Record<string, unknown>
    return Number(body[field])
  }

  return {
    name: title,
    pid: program.pid,
    smtpPort: ports.smtp,
    httpPort: ports.http,
    startMs: performance.now() - startedAt,
    dataFolder: keepsFiles ? data : null,
    latest: (address: string) => getRequest(latestPath(address), null),
    search: searchPath ? (word: string) => getRequest(searchPath(word), null) : null,
    async untilReadable(wanted: number): Promise<void> {
      if (!count) return
      const deadline = performance.now() + READABLE_MS_MAX
      for (;;) {
        const found = await countMessages(count)
        if (found >= wanted) return
        if (performance.now() > deadline) throw new Error(`${title}: only ${found} of ${wanted} messages can be read.`)
        await sleep(POLL_MS)
      }
    },
    stop: program.stop,
  }
}
