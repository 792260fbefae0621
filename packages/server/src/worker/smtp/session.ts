import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { TLSSocket } from 'node:tls'
import type { Log } from '../../observe/log.ts'
import type { Step } from './answers.ts'
import type { AttemptOutcome } from './attempts.ts'
import { DataReader } from './data-reader.ts'
import { findMissedDeadline } from './deadlines.ts'
import type { DeliverPorts } from './deliver.ts'
import { deliver, deliverAsPlanned } from './deliver.ts'
import type { DialoguePorts } from './dialogue-ports.ts'
import { Dialogue } from './dialogue.ts'
import type { IncomingMail } from './incoming-mail.ts'
import { LineReader } from './line-reader.ts'
import * as replies from './replies.ts'
import { READ_AHEAD_BYTES_MAX } from './slow-transfer.ts'
import { planAt } from './transaction.ts'

export type SmtpSessionPorts = DeliverPorts & {
  dialogue: DialoguePorts
  log: Pick<Log, 'debug' | 'error'>
  secureContext: SecureContext | null
  isLoaded: () => boolean
  isClosing: () => boolean
  /** Called when the connection is closed and all work of the session is done. */
  onGone: (session: SmtpSession) => void
}

/** How to read the bytes that come next: as a line, as mail, or as a TLS handshake. */
type Mode =
  | { kind: 'command' | 'response' | 'tls' }
  | (Transfer & { kind: 'data'; reader: DataReader })
  | (Transfer & { kind: 'chunk'; bytesLeft: number; isLast: boolean })
type Transfer = { mail: IncomingMail; startedAt: number; startedBytes: number }

const COMMAND: Mode = { kind: 'command' }
const RESPONSE: Mode = { kind: 'response' }
const TLS_HANDSHAKE: Mode = { kind: 'tls' }

/** What follows a command that is not answered yet: enough for a group of recipients. */
const PIPELINED_BYTES_MAX = 4_096
const NOTHING = Buffer.alloc(0)
const MAIL_END = /^\.\r\n|^BDAT /im

/** One connection: reads bytes, passes them to the dialogue, sends the replies, and waits for the store. */
export class SmtpSession {
  #remoteAddress: string | null
  #ports: SmtpSessionPorts
  #socket: Socket
  #lines: LineReader
  #dialogue: Dialogue
  #mode: Mode = COMMAND
  #unsent = ''
  #startedAt = performance.now()
  #activeAt = this.#startedAt
  /** The client must wait for us: the store, the disk or the spool is busy. */
  #isWaiting = false
  /** It waits for what a script may delay, and nothing is lost if the session ends meanwhile. */
  #waitsForScript = false
  /** The client is not reading our replies. */
  #isBlocked = false
  #isPaused = false
  #hasInputEnded = false
  #hungUpAt: number | null = null
  #isClosed = false

  constructor(socket: Socket, ports: SmtpSessionPorts) {
    this.#remoteAddress = socket.remoteAddress ?? null
    this.#ports = ports
    this.#socket = socket
    this.#lines = new LineReader(ports.dialogue.limits.commandLineBytesMax)
    this.#dialogue = new Dialogue(ports.dialogue, this.#remoteAddress)
    this.#attach(socket)
    this.#unsent = replies.greeting(ports.dialogue.hostname)
    this.advance()
  }

  /** Processes all received bytes and sends the replies together. */
  advance(): void {
    while (this.#hungUpAt === null && !this.#isWaiting && !this.#isBlocked && this.#processNext());
    if (this.#hungUpAt !== null) return
    this.#send()
    if (this.#isWaiting || this.#isBlocked) return
    if (this.#hasInputEnded) this.#hangUp('')
    else if (this.#isPaused) {
      this.#isPaused = false
      this.#socket.resume()
    }
  }

  get hasHungUp(): boolean {
    return this.#hungUpAt !== null
  }

  /** Called periodically for every session, which is cheaper than a timer per session. */
  check(now: number): void {
    const { dialogue, isLoaded } = this.#ports
    const { limits } = dialogue
    if (this.#hungUpAt !== null) {
      if (now - this.#hungUpAt > limits.closeMs) this.destroy()
      return
    }
    // Time that we take does not count against the client, unless a script takes it.
    if (this.#isWaiting) {
      const isTooLong = this.#waitsForScript && now - this.#startedAt > limits.sessionMs
      if (isTooLong) this.#cutOff(replies.SESSION_TOO_LONG)
      return
    }
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

  #processNext(): boolean {
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
      if (step instanceof Promise) this.#waitForScript(step, (step) => this.#perform(step))
      else this.#perform(step)
    }
    return true
  }

  #perform(step: Step): void {
    if (step.next === 'tls') return this.#startTls(step.reply)
    if (step.next === 'close') return this.#hangUp(step.reply)
    if (step.next === 'cut') return this.#cut()
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

  #keep(mail: IncomingMail, content: Buffer, onDone: () => void): void {
    const writing = mail.write(content)
    const next = (): void => (mail.isFarTooBig ? this.#cutOff(replies.MAIL_TOO_BIG) : onDone())
    const scripted = this.#dialogue.transferAfter(content.length, this.#findReset)
    if (scripted) this.#waitForScript(Promise.all([writing, scripted]), ([, isCut]) => (isCut ? this.#cut() : next()))
    else if (writing) this.#waitFor(writing, next)
    else next()
  }

  #endMail(mail: IncomingMail): void {
    if (mail.refusal) return this.#perform(this.#answerMail(mail.refusal, mail.isRefusedByScript))
    const { transaction, flight } = this.#dialogue.handOver()
    const { mailFrom, recipients, plans } = transaction
    const { helo, isTls, username, delay } = this.#dialogue
    const envelope = { mailFrom, recipients, helo, remoteAddress: this.#remoteAddress, tls: isTls, username }
    const onStored = (messageIds: string[]): void => void (transaction.messageIds = messageIds)
    const plan = planAt('after-data', plans)
    const delivering =
      plan === null
        ? deliver(this.#ports, mail, { envelope, onStored })
        : deliverAsPlanned(this.#ports, mail, { envelope, onStored, plan, delay })
    const delivered = delivering
      .finally(() => flight.end())
      .then((reply) => {
        if (this.#isClosed || this.#isInputOver) this.#dialogue.attempts.record(transaction, this.#closedOutcome)
        return reply
      })
    this.#waitFor(delivered, (reply) =>
      reply === null ? this.#cut() : this.#perform(this.#answerMail(reply, plan?.action.do === 'reject')),
    )
  }

  #answerMail(reply: string, isScripted: boolean): Step {
    return isScripted ? this.#dialogue.answerAsScripted(reply) : this.#dialogue.answerMail(reply)
  }

  #waitForScript<T>(promise: Promise<T>, onDone: (value: T) => void): void {
    this.#waitsForScript = true
    this.#waitFor(promise, onDone)
  }

  /** Processes nothing from the client until `promise` settles. */
  #waitFor<T>(promise: Promise<T>, onDone: (value: T) => void): void {
    this.#isWaiting = true
    promise
      .then((value) => {
        this.#isWaiting = false
        this.#waitsForScript = false
        this.#activeAt = performance.now()
        if (this.#isClosed) return this.#ports.onGone(this)
        // It was cut off meanwhile.
        if (this.#hungUpAt !== null) return
        onDone(value)
        this.advance()
      })
      .catch((error: unknown) => {
        this.#ports.log.error({ err: error }, 'an SMTP session failed')
        this.destroy()
      })
  }

  #startTls(reply: string): void {
    const { secureContext } = this.#ports
    // Plain text after STARTTLS may have been injected by an attacker in the middle.
    if (!this.#lines.isEmpty || !secureContext) return this.#hangUp(replies.PLAINTEXT_BEHIND_STARTTLS)
    this.#unsent += reply
    this.#send()
    this.#mode = TLS_HANDSHAKE
    this.#detach(this.#socket)
    const socket = new TLSSocket(this.#socket, { isServer: true, secureContext })
    socket.once('secure', () => {
      this.#dialogue.startedTls(socket.getProtocol() ?? 'TLS')
      this.#mode = COMMAND
      // The client has read our reply, or the handshake would not have finished.
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

  /** Ends the session during a command or transfer. */
  #cutOff(reply: string): void {
    this.#dialogue.reportCutOff(reply)
    this.#hangUp(reply)
  }

  /** Ends the session as a script says: after the replies to what was sent before, and without reading what follows. */
  #cut(): void {
    this.#stopTalking('cut')
    this.#send()
    this.#socket.destroySoon()
  }

  /** The client sends no more, and what is left to process completes no mail. */
  get #isInputOver(): boolean {
    if (!this.#hasInputEnded || this.#lines.isEmpty) return this.#hasInputEnded
    if (this.#mode.kind !== 'command' || this.#dialogue.isContentDue) return false
    return !MAIL_END.test(this.#lines.rest().toString('latin1'))
  }

  /** Whether the client has closed the connection, or the server while it stops. */
  get #closedOutcome(): 'shut-down' | 'closed' {
    return this.#ports.isClosing() ? 'shut-down' : 'closed'
  }

  #hangUp(reply: string): void {
    if (this.#hungUpAt !== null) return
    if (reply === '') this.#stopTalking(this.#closedOutcome)
    else this.#stopTalking('refused', reply)
    this.#socket.end(this.#unsent + reply, 'latin1')
    this.#unsent = ''
    // Keep reading: closing a socket with unread bytes resets the connection, and the client loses the reply.
    this.#socket.resume()
  }

  #stopTalking(outcome: AttemptOutcome, reply: string | null = null): void {
    this.#hungUpAt = performance.now()
    this.#dialogue.delay.end()
    this.#dialogue.end(outcome, reply)
    this.#lines.clear()
  }

  #attach(socket: Socket): void {
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('drain', this.#onDrain)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
  }

  /** Error and close handlers stay attached. */
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
    // Only a socket that is read shows that the client has gone. A script may delay the reply to a command for a minute.
    if (!this.#isBlocked && this.#lines.rest().length < this.#readAheadBytesMax) return
    this.#isPaused = true
    this.#socket.pause()
  }

  get #readAheadBytesMax(): number {
    if (this.#mode.kind === 'command') return PIPELINED_BYTES_MAX
    return this.#waitsForScript && this.#dialogue.isSlow ? READ_AHEAD_BYTES_MAX : 0
  }

  /** A socket that is not read does not show that the client has reset the connection, until something is written. */
  #findReset = (): void => {
    if (this.#isPaused) this.#socket.write(NOTHING)
  }

  #onEnd = (): void => {
    this.#hasInputEnded = true
    this.#dialogue.endInput(this.#isWaiting && this.#isInputOver ? this.#closedOutcome : null)
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
    this.#dialogue.closed(this.#closedOutcome)
    if (!this.#isWaiting) this.#ports.onGone(this)
  }
}
