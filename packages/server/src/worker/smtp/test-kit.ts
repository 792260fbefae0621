import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConnectionOptions } from 'node:tls'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'
import type { EndedAttempt } from '../../domain/attempt.ts'
import type { ReceivedMail } from './deliver.ts'
import type { SmtpRejection } from './rejection.ts'
import type { SmtpServer, SmtpServerPorts, SmtpSettings } from './smtp-server.ts'
import { startSmtpServer } from './smtp-server.ts'

export type TestServer = {
  server: SmtpServer
  spoolFolder: string
  mails: (ReceivedMail & { bytes: Buffer })[]
  refusals: SmtpRejection[]
  attempts: EndedAttempt[]
  connect: () => Promise<TestClient>
}

/** What differs from the defaults of the test server. */
export type TestServerOptions = Partial<SmtpServerPorts & SmtpSettings>

/** A server on a free port that keeps all received mail in memory. Closed when the test ends. */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const spoolFolder = await mkdtemp(join(tmpdir(), 'mailhatch-smtp-'))
  const mails: TestServer['mails'] = []
  const refusals: SmtpRejection[] = []
  const attempts: EndedAttempt[] = []
  const ports: SmtpServerPorts = {
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
    receive: async (mail) => {
      mails.push({ ...mail, bytes: await contentOf(mail) })
      return mail.recipients.map(({ mailbox }) => `id of ${mailbox}`)
    },
    onRejection: (refusal) => refusals.push(refusal),
    onAttempts: (ended) => attempts.push(...ended),
    log: { warn() {}, error() {}, debug() {} },
  }
  const settings: SmtpSettings = {
    host: '127.0.0.1',
    port: 0,
    hostname: 'mx.test',
    sizeMaxBytes: 25 * 1024 * 1024,
    spoolFolder,
    tls: null,
    credentials: null,
    allowedDomains: null,
  }
  const server = await startSmtpServer({ ...ports, ...options }, { ...settings, ...options })
  onTestFinished(async () => {
    await server.close()
    await rm(spoolFolder, { recursive: true, force: true })
  })
  return { server, spoolFolder, mails, refusals, attempts, connect: () => TestClient.connect(server.port) }
}

export async function contentOf({ content }: ReceivedMail): Promise<Buffer> {
  return content instanceof Uint8Array ? Buffer.from(content) : readFile(content.path)
}

/** Sends raw bytes to the server. Knows nothing about SMTP except where a reply ends. */
export class TestClient {
  greeting = ''
  #socket: Socket
  #received = ''
  #hasEnded = false
  #wake: (() => void) | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
    onTestFinished(() => void this.#socket.destroy())
  }

  static async connect(port: number): Promise<TestClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const client = new TestClient(socket)
    client.greeting = await client.reply()
    return client
  }

  static async connectWithHello(port: number): Promise<TestClient> {
    const client = await TestClient.connect(port)
    await client.say('EHLO client.test')
    return client
  }

  send(bytes: string | Buffer): void {
    this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes)
  }

  /** Sends the parts so that the server reads them one by one. */
  async sendApart(parts: Buffer[]): Promise<void> {
    for (const part of parts) {
      this.send(part)
      // Two turns of the event loop: the part arrives in one and has been read by the next.
      await nextTurn()
      await nextTurn()
    }
  }

  stopReading(): void {
    this.#socket.pause()
  }

  /** Sends the bytes repeatedly until both our buffers and the server's are full. */
  async sendUntilStuck(bytes: Buffer): Promise<void> {
    let idleTurns = 0
    while (idleTurns < 100) {
      const before = this.#socket.writableLength
      if (before < bytes.length) this.send(bytes)
      await nextTurn()
      idleTurns = this.#socket.writableLength === before ? idleTurns + 1 : 0
    }
  }

  endInput(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Unlike after a normal end, the server notices it at once. */
  reset(): void {
    this.#socket.resetAndDestroy()
  }

  /** Sends one line and returns the reply to it. */
  say(line: string): Promise<string> {
    this.send(`${line}\r\n`)
    return this.reply()
  }

  /** The next complete reply; `''` after the server closed the connection. */
  async reply(): Promise<string> {
    for (;;) {
      const end = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received)
      if (end) {
        this.#received = this.#received.slice(end[0].length)
        return end[0]
      }
      if (this.#hasEnded) return ''
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  async replies(count: number): Promise<string[]> {
    const all: string[] = []
    while (all.length < count) all.push(await this.reply())
    return all
  }

  /** Starts a transaction up to `DATA` or the first `BDAT`. */
  async begin(recipients = ['qa@in.test'], parameters = ''): Promise<void> {
    await this.say(`MAIL FROM:<app@example.com>${parameters}`)
    for (const recipient of recipients) await this.say(`RCPT TO:<${recipient}>`)
  }

  /** Sends one complete mail; `wire` is what is sent between 354 and the final dot. */
  async deliver(wire: string | Buffer, parameters = ''): Promise<string> {
    await this.begin(undefined, parameters)
    await this.say('DATA')
    this.send(wire)
    this.send('\r\n.\r\n')
    return this.reply()
  }

  /** Sends a BDAT chunk and returns the reply. */
  async chunk(bytes: string | Buffer, isLast: boolean): Promise<string> {
    this.send(`BDAT ${Buffer.byteLength(bytes)}${isLast ? ' LAST' : ''}\r\n`)
    this.send(bytes)
    return this.reply()
  }

  async startTls(options: ConnectionOptions = {}): Promise<void> {
    this.#socket.removeAllListeners()
    const socket = connectTls({ rejectUnauthorized: false, ...options, socket: this.#socket })
    this.#socket = socket
    this.#listen()
    await once(socket, 'secureConnect')
  }

  #listen(): void {
    this.#socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1')
      this.#wake?.()
    })
    for (const event of ['end', 'close', 'error']) {
      this.#socket.on(event, () => {
        this.#hasEnded = true
        this.#wake?.()
      })
    }
  }
}
