import { createTransport } from 'nodemailer'
import type { PeerName } from '../../src/compat/peers.ts'
import type { IntendedDifference } from './differences.ts'

/** Another mail catcher: what is sent to it and to us, and what may differ in the answers. */
export type ComparedPeer = {
  name: PeerName
  /** If several are compared. */
  version?: number
  mail(number: number): ComparedMail
  calls(counts: Counts): ComparedCall[]
  intended: IntendedDifference[]
  /** The arguments that start it. */
  start(ports: { port: number; smtpPort: number }): string[]
  /** `known` is how many messages there are at least. */
  newestId(url: string, known: number): Promise<string | undefined>
  /** The names of the files of a message in paths, if they are not the same in both. */
  fileNames?(url: string, id: string): Promise<string[]>
  /** Leaves out of an answer what other calls compare. */
  shorten?(call: ComparedCall, body: unknown): unknown
  /** The size of the recording. */
  recorded: Counts
}

export type Counts = { mails: number; calls: number }

/** `to` are the recipients of the envelope. */
export type ComparedMail = { from: string; to: string | string[]; raw: string | Buffer }

/** `{3}` in a path or body stands for the id of the mail with that number, and `{3/0}` in a path for the name of its first file. */
export type ComparedCall = { method: string; path: string; body?: unknown }

/** What a server answered, with `{3}` for the id of the mail with that number. */
export type ComparedAnswer = { status: number; body: unknown }

/** For a server that closes the connection. */
const CLOSED: ComparedAnswer = { status: 0, body: '' }

export type ComparedServer = { url: string; smtpPort: number }

/** What the answers of one server depend on, besides the mails and calls: when the mails came, and its port. */
export type RunFacts = { began: number; ended: number; smtpPort: number }

export type Run = RunFacts & { answers: ComparedAnswer[] }

/** Sends the mails, then puts the calls to the server. */
export async function runWith(
  peer: ComparedPeer,
  server: ComparedServer,
  { mails, calls }: { mails: number; calls: ComparedCall[] },
): Promise<Run> {
  const began = Date.now()
  const sent = Array.from({ length: mails }, (_, number) => peer.mail(number))
  const ids = await sendAll(peer, server, sent)
  const ended = Date.now()
  const answers = []
  for (const call of calls) answers.push(await callServer(peer, server.url, call, ids))
  return { began, ended, smtpPort: server.smtpPort, answers }
}

/** Sends the mails one after another, and returns the ids that the server gives them. */
export async function sendAll(
  { newestId }: Pick<ComparedPeer, 'newestId'>,
  { url, smtpPort }: ComparedServer,
  mails: ComparedMail[],
): Promise<string[]> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: smtpPort,
    name: 'sender.example',
    pool: true,
    maxConnections: 1,
    maxMessages: Infinity,
  })
  const ids: string[] = []
  try {
    for (const { from, to, raw } of mails) {
      await transport.sendMail({ envelope: { from, to }, raw })
      ids.push(await nextId(() => newestId(url, ids.length), ids.at(-1)))
    }
  } finally {
    transport.close()
  }
  return ids
}

/** Waits for the message: visible after the one before, so that both servers agree about their order. */
async function nextId(newestId: () => Promise<string | undefined>, before: string | undefined): Promise<string> {
  for (;;) {
    const id = await newestId()
    if (id !== undefined && id !== before) return id
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

async function callServer(
  { shorten, fileNames }: ComparedPeer,
  url: string,
  call: ComparedCall,
  ids: string[],
): Promise<ComparedAnswer> {
  const { method, path, body } = call
  const withIds = (text: string) => text.replaceAll(/\{(\d+)\}/g, (_, number: string) => ids[Number(number)]!)
  const [file, number, index] = /\{(\d+)\/(\d)\}/.exec(path) ?? []
  const name = file === undefined ? '' : ((await fileNames!(url, ids[Number(number)]!))[Number(index)] ?? 'unknown')
  const response = await fetch(`${url}${withIds(file === undefined ? path : path.replace(file, name))}`, {
    method,
    ...(body !== undefined && {
      body: withIds(JSON.stringify(body)),
      headers: { 'content-type': 'application/json' },
    }),
  }).catch(() => null)
  if (!response) return CLOSED
  const text = await response.text()
  const numbers = new Map(ids.map((id, number) => [id, `{${number}}`]))
  const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
  const parsed: unknown = isJson
    ? JSON.parse(text, (_, value: unknown) => (typeof value === 'string' ? (numbers.get(value) ?? value) : value))
    : text
  return { status: response.status, body: shorten ? shorten(call, parsed) : parsed }
}

export function labelOf({ name, version }: ComparedPeer): string {
  return `${name}${version ?? ''}`
}
