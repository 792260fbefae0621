import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { TLSSocket } from 'node:tls'
import { DataReader } from './data-reader.ts'
import { findMissedDeadline } from './deadlines.ts'
import type { DeliverPorts } from './deliver.ts'
import { deliver } from './deliver.ts'
import type { DialoguePorts, Step } from './dialogue.ts'
import { Dialogue } from './dialogue.ts'
import type { IncomingMail } from './incoming-mail.ts'
import { LineReader } from './line-reader.ts'
import * as replies from './replies.ts'

export type Log = {
  warn(details: object, message: string): void
  error(details: object, message: string): void
  debug(details: object, message: string): void
}

export type SessionPorts = DialoguePorts &
  DeliverPorts & {
    log: Log
    secureContext: SecureContext | null
    isLoaded: () => boolean
    isClosing: () => boolean
    /** The connection is closed and nothing of the session is under way any more. */
    onGone: (session: Session) => void
  }

/** What the bytes that come next are: a line, mail, or a TLS handshake. */
type Mode =
  | { kind: 'command' | 'response' | 'tls' }
  | (Transfer & { kind: 'data'; reader: DataReader })
  | (Transfer & { kind: 'chunk'; bytesLeft: number; isLast: boolean })
type Transfer = { mail: IncomingMail; startedAt: number; startedBytes: number }

const COMMAND: Mode = { kind: 'command' }
const RESPONSE: Mode = { kind: 'response' }
const TLS_HANDSHAKE: Mode = { kind: 'tls' }

/** One connection: reads bytes, lets the dialogue decide, writes replies, and waits where it has to. */
export class Session {
  #remoteAddress: string | null
  #ports: SessionPorts
  #socket: Socket
  #lines: LineReader
  #dialogue: Dialogue
  #mode: Mode = COMMAND
  #unsent = ''
  #startedAt = performance.now()
  #activeAt = this.#startedAt
  /** We owe the client something: the store, the disk or the spool is at work. */
  #isWaiting = false
  /** The client does not read our replies. */
  #isBlocked = false
  #isPaused = false
  #hasInputEnded = false
  #hungUpAt: number | null = null
  #isClosed = false

  constructor(socket: Socket, ports: SessionPorts) {
    this.#remoteAddress = socket.remoteAddress ?? null
    this.#ports = ports
    this.#socket = socket
    this.#lines = new LineReader(ports.limits.commandLineBytesMax)
    this.#dialogue = new Dialogue(ports, this.#remoteAddress)
    this.#attach(socket)
    this.#unsent = replies.greeting(ports.hostname)
    this.advance()
  }

  /** Uses what has arrived, as far as that goes, and sends all replies to it at once. */
  advance(): void {
    while (this.#hungUpAt === null && !this.#isWaiting && !this.#isBlocked && this.#takeTurn());
    if (this.#hungUpAt !== null) return
    this.#send()
    if (this.#isWaiting || this.#isBlocked) return
    if (this.#hasInputEnded) this.#hangUp('')
    else if (this.#isPaused) {
      this.#isPaused = false
      this.#socket.resume()
    }
  }

  /** Called now and then for every session, which is cheaper than timers of their own. */
  check(now: number): void {
    const { limits, isLoaded } = this.#ports
    if (this.#hungUpAt !== null) {
      if (now - this.#hungUpAt > limits.closeMs) this.destroy()
      return
    }
    // A client is not to blame for the time we take.
    if (this.#isWaiting) return
    const mode = this.#mode
    const missed = findMissedDeadline(
      {
        sessionMs: now - this.#startedAt,
        idleMs: now - this.#activeAt,
        isHandshake: mode.kind === 'tls',
        isLoaded: isLoaded(),
        transfer: 'mail' in mode ? { ms: now - mode.startedAt, bytes: mode.mail.readBytes - mode.startedBytes } : null,
      },
      limits,
    )
    if (missed) this.#cutOff(missed)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #takeTurn(): boolean {
    const mode = this.#mode
    if (mode.kind === 'data') return this.#readData(mode.mail, mode.reader)
    if (mode.kind === 'chunk') return this.#readChunk(mode)
    if (mode.kind === 'tls') return false
    if (this.#ports.isClosing() && !this.#dialogue.isBetweenChunks) {
      this.#cutOff(replies.SHUTTING_DOWN)
      return false
    }
    const line = this.#lines.nextLine()
    if (line === null) return false
    if (typeof line !== 'string') this.#perform(this.#dialogue.answerFault(line))
    else if (mode.kind === 'response') this.#perform(this.#dialogue.answerResponse(line))
    else {
      const step = this.#dialogue.answerLine(line)
      if (step instanceof Promise) this.#waitFor(step, (step) => this.#perform(step))
      else this.#perform(step)
    }
    return true
  }

  #perform(step: Step): void {
    if (step.next === 'tls') return this.#startTls(step.reply)
    if (step.next === 'close') return this.#hangUp(step.reply)
    this.#unsent += step.reply
    if (step.next === 'command') this.#mode = COMMAND
    else if (step.next === 'response') this.#mode = RESPONSE
    else {
      const transfer = { mail: step.mail, startedAt: performance.now(), startedBytes: step.mail.readBytes }
      this.#mode =
        step.next === 'data'
          ? { ...transfer, kind: 'data', reader: new DataReader() }
          : { ...transfer, kind: 'chunk', bytesLeft: step.chunkBytes, isLast: step.isLast }
    }
  }

  #readData(mail: IncomingMail, reader: DataReader): boolean {
    if (this.#lines.isEmpty) return false
    const content = reader.read(this.#lines.rest())
    this.#lines.skip(reader.consumed)
    this.#keep(mail, content, () => {
      if (reader.ended) this.#endMail(mail)
    })
    return true
  }

  #readChunk(mode: Mode & { kind: 'chunk' }): boolean {
    const { mail } = mode
    if (this.#lines.isEmpty && mode.bytesLeft > 0) return false
    const content = this.#lines.rest().subarray(0, mode.bytesLeft)
    this.#lines.skip(content.length)
    mode.bytesLeft -= content.length
    this.#keep(mail, content, () => {
      if (mode.bytesLeft > 0) return
      if (mode.isLast || mail.refusal) this.#endMail(mail)
      else this.#perform(this.#dialogue.answerChunk())
    })
    return true
  }

  #keep(mail: IncomingMail, content: Buffer, goOn: () => void): void {
    const writing = mail.write(content)
    const next = (): void => (mail.isFarTooBig ? this.#cutOff(replies.MAIL_TOO_BIG) : goOn())
    if (writing) this.#waitFor(writing, next)
    else next()
  }

  #endMail(mail: IncomingMail): void {
    if (mail.refusal) return this.#perform(this.#dialogue.answerMail(mail.refusal))
    const { mailFrom, recipients } = this.#dialogue.handOver()
    const { helo, isTls: tls } = this.#dialogue
    const envelope = { mailFrom, recipients, helo, remoteAddress: this.#remoteAddress, tls }
    const delivering = deliver(this.#ports, mail, envelope)
    this.#waitFor(delivering, (reply) => this.#perform(this.#dialogue.answerMail(reply)))
  }

  /** Nothing is read from the client until `promise` settles. */
  #waitFor<T>(promise: Promise<T>, goOn: (value: T) => void): void {
    this.#isWaiting = true
    promise
      .then((value) => {
        this.#isWaiting = false
        this.#activeAt = performance.now()
        if (this.#isClosed) return this.#ports.onGone(this)
        goOn(value)
        this.advance()
      })
      .catch((error: unknown) => {
        this.#ports.log.error({ err: error }, 'an SMTP session failed')
        this.destroy()
      })
  }

  #startTls(reply: string): void {
    const { secureContext } = this.#ports
    // Whatever came in plain text behind STARTTLS may have been put there by someone in between.
    if (!this.#lines.isEmpty || !secureContext) return this.#hangUp(replies.PLAINTEXT_BEHIND_STARTTLS)
    this.#unsent += reply
    this.#send()
    this.#mode = TLS_HANDSHAKE
    this.#detach(this.#socket)
    const socket = new TLSSocket(this.#socket, { isServer: true, secureContext })
    socket.once('secure', () => {
      this.#dialogue.startedTls()
      this.#mode = COMMAND
      // The handshake could not end before our reply was read.
      this.#isBlocked = false
      this.#activeAt = performance.now()
      this.advance()
    })
    this.#socket = socket
    this.#attach(socket)
  }

  #send(): void {
    if (this.#unsent === '') return
    const isTaken = this.#socket.write(this.#unsent, 'latin1')
    this.#unsent = ''
    if (!isTaken) this.#isBlocked = true
  }

  /** Ends the session in the middle of whatever it was at. */
  #cutOff(reply: string): void {
    this.#dialogue.reportCutOff(reply)
    this.#hangUp(reply)
  }

  #hangUp(reply: string): void {
    if (this.#hungUpAt !== null) return
    this.#hungUpAt = performance.now()
    this.#dialogue.abandon()
    this.#lines.clear()
    this.#socket.end(this.#unsent + reply, 'latin1')
    this.#unsent = ''
    // What still comes is read and dropped: closing with unread bytes would reset the connection and lose the reply.
    this.#socket.resume()
  }

  #attach(socket: Socket): void {
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  /** Errors and the end of the connection still count. */
  #detach(socket: Socket): void {
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('drain', this.#onDrain)
  }

  #onData = (chunk: Buffer): void => {
    if (this.#hungUpAt !== null) return
    this.#activeAt = performance.now()
    this.#lines.push(chunk)
    if (!this.#isWaiting && !this.#isBlocked) return this.advance()
    this.#isPaused = true
    this.#socket.pause()
  }

  #onEnd = (): void => {
    this.#hasInputEnded = true
    this.advance()
  }

  #onDrain = (): void => {
    this.#isBlocked = false
    this.advance()
  }

  #onError = (error: Error): void => {
    this.#ports.log.debug({ err: error }, 'an SMTP connection failed')
    this.destroy()
  }

  #onClose = (): void => {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#hungUpAt ??= performance.now()
    this.#dialogue.abandon()
    if (!this.#isWaiting) this.#ports.onGone(this)
  }
}
