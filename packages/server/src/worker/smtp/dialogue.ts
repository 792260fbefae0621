import type { Flight } from '../transit.ts'
import type { Step } from './answers.ts'
import { scriptedStep, SmtpAnswers } from './answers.ts'
import { AttemptRecorder } from './attempt-recorder.ts'
import type { AttemptOutcome } from './attempts.ts'
import { outcomeOfCutOff } from './attempts.ts'
import type { AuthExchange, AuthStep } from './authentication.ts'
import { beginAuth, continueAuth } from './authentication.ts'
import type { MailCommand } from './commands.ts'
import { parseCommand, parseMail } from './commands.ts'
import type { ContentParts } from './content.ts'
import { answerBdat, answerData, transferAfter } from './content.ts'
import type { DialoguePorts } from './dialogue-ports.ts'
import type { Offer } from './extensions.ts'
import { ReplyDelay } from './holds.ts'
import type { LineFault } from './line-reader.ts'
import type { RcptParts } from './rcpt.ts'
import { answerRcpt } from './rcpt.ts'
import * as replies from './replies.ts'
import { SessionLimits } from './session-limits.ts'
import type { SessionState, Transaction } from './transaction.ts'
import { beginTransaction, isStoring } from './transaction.ts'

/** State of one SMTP session, and the reply to the next line. Independent of sockets. */
export class Dialogue {
  readonly delay: ReplyDelay
  readonly attempts: AttemptRecorder
  #ports: DialoguePorts
  #state: SessionState
  #answers: SmtpAnswers
  #sessionLimits: SessionLimits
  /** For the commands with files of their own. */
  #parts: RcptParts & ContentParts
  #exchange: AuthExchange | null = null

  constructor(ports: DialoguePorts, remoteAddress: string | null) {
    const { limits, events, scenarios } = ports
    this.#ports = ports
    this.#state = { remoteAddress, helo: null, tls: null, username: null, transaction: null }
    this.#sessionLimits = new SessionLimits(limits)
    this.#answers = new SmtpAnswers(this.#sessionLimits, this.#state, events.onRejection)
    this.attempts = new AttemptRecorder(events.onAttempts, this.#state)
    this.delay = new ReplyDelay(scenarios.holds)
    this.#parts = {
      ports,
      state: this.#state,
      answers: this.#answers,
      attempts: this.attempts,
      delay: this.delay,
      answerAsScripted: (reply) => this.answerAsScripted(reply),
    }
  }

  get helo(): string | null {
    return this.#state.helo
  }

  get username(): string | null {
    return this.#state.username
  }

  get isTls(): boolean {
    return this.#state.tls !== null
  }

  /** A BDAT chunk was received and more follow. */
  get isBetweenChunks(): boolean {
    return this.#state.transaction !== null && this.#state.transaction.mail !== null
  }

  /** DATA or BDAT was received, and its mail may follow before the reply. */
  get isContentDue(): boolean {
    return this.#state.transaction?.stage === 'data'
  }

  /** RFC 3207 (4.2): no STARTTLS after STARTTLS. */
  get #offer(): Offer {
    const { offer } = this.#ports
    return this.#state.tls !== null ? offer.difference(new Set(['STARTTLS'])) : offer
  }

  answerLine(line: string): Step | Promise<Step> {
    const { verb, argument } = parseCommand(line)
    switch (verb) {
      case 'MAIL':
        return this.#mail(argument)
      case 'RCPT':
        return answerRcpt(this.#parts, argument)
      case 'DATA':
        return answerData(this.#parts, argument)
      case 'BDAT':
        return answerBdat(this.#parts, argument)
      case 'EHLO':
      case 'HELO':
        return this.#hello(argument, verb === 'EHLO')
      case 'RSET':
        this.abandon()
        return this.#answers.give(replies.OK)
      case 'NOOP':
        return this.#answers.give(replies.OK)
      case 'QUIT':
        this.abandon()
        return this.#answers.give(replies.BYE, 'close')
      case 'AUTH':
        return this.#auth(argument)
      case 'STARTTLS':
        return this.#startTls(argument)
      case 'VRFY':
        return this.#answers.give(argument === '' ? replies.BAD_ARGUMENTS : replies.CANNOT_VERIFY)
      case 'HELP':
        return this.#answers.give(replies.helpReply(this.#offer))
      case 'EXPN':
      case 'ETRN':
      case 'TURN':
        return this.#answers.give(replies.NOT_IMPLEMENTED)
      case 'GET':
      case 'HEAD':
      case 'POST':
      case 'PUT':
      case 'PATCH':
      case 'DELETE':
      case 'OPTIONS':
      case 'CONNECT':
        // A web page can make a browser post text that contains SMTP commands to a local port.
        return this.#answers.give(replies.NOT_A_WEB_SERVER, 'close')
      default:
        if (this.#sessionLimits.tooManyUnknownCommands())
          return this.#answers.give(replies.TOO_MANY_UNKNOWN_COMMANDS, 'close')
        return this.#answers.give(replies.UNKNOWN_COMMAND)
    }
  }

  answerFault({ fault }: LineFault): Step {
    this.#exchange = null
    if (fault === 'malformed') return this.#answers.give(replies.LINE_MALFORMED)
    return this.#answers.give(replies.LINE_TOO_LONG, this.#sessionLimits.tooManyLongLines() ? 'close' : 'command')
  }

  /** Handles the client's line in an AUTH exchange. */
  answerResponse(line: string): Step {
    if (!this.#exchange) throw new Error('Got an AUTH response outside an AUTH exchange')
    return this.#takeAuthStep(continueAuth(this.#exchange, line, this.#ports.credentials))
  }

  /** Hands the complete mail to the caller, who is now responsible for removing it and for ending its flight. */
  handOver(): { transaction: Transaction; flight: Flight } {
    if (!this.#state.transaction) throw new Error('Got a mail outside a transaction')
    const transaction = this.#state.transaction
    transaction.stage = 'after-data'
    transaction.sizeBytes = transaction.mail?.readBytes ?? 0
    transaction.mail = null
    transaction.slow?.end()
    const { flight } = transaction
    transaction.flight = this.#ports.scenarios.transit.begin()
    return { transaction, flight }
  }

  /** Ends the transaction with this reply. */
  answerMail(reply: string): Step {
    const isStored = reply === replies.STORED
    if (isStored) this.#sessionLimits.resetErrors()
    else this.#answers.reportForAll(reply)
    if (this.#state.transaction) this.#state.transaction.stage = 'after-data'
    const step = this.#answers.give(reply)
    this.end(isStored ? 'accepted' : 'refused', step.reply)
    return step
  }

  /** Ends the transaction with the refusal of a script, which is no error of the client. */
  answerAsScripted(reply: string): Step {
    this.#answers.reportForAll(reply)
    this.end('refused', reply)
    return scriptedStep(reply)
  }

  /** What scripts say about the transfer after more bytes. Null if nothing; true if the connection is cut. */
  transferAfter(bytes: number, onSlice: () => void): Promise<boolean> | null {
    const { transaction } = this.#state
    return transaction && transferAfter(this.#ports.scenarios, transaction, bytes, onSlice)
  }

  /** A script reads the mail slowly. */
  get isSlow(): boolean {
    return this.#state.transaction !== null && this.#state.transaction.slow !== null
  }

  /**
   * The client sends no more. It counts as gone, so its connection is no longer one that its team delays. `outcome` is set if it can
   * complete no mail any more; it may still read replies.
   */
  endInput(outcome: AttemptOutcome | null): void {
    this.delay.end()
    const transaction = this.#state.transaction
    transaction?.slow?.end()
    if (outcome === null || !transaction || transaction.mail !== null || isStoring(transaction)) return
    this.attempts.record(transaction, outcome)
  }

  answerChunk(): Step {
    return this.#answers.give(replies.CHUNK_OK)
  }

  /** RFC 3207 (4.2): discards everything the client sent before TLS. */
  startedTls(version: string): void {
    this.abandon()
    this.#state.tls = version
    this.#state.helo = null
    this.#state.username = null
  }

  /** Discards the transaction and the mail in progress, because the client wants it. */
  abandon(): void {
    this.end('abandoned')
  }

  /** Discards them for another reason. */
  end(outcome: AttemptOutcome, reply: string | null = null): void {
    if (this.#state.transaction) this.attempts.record(this.#state.transaction, outcome, reply)
    this.#discard()
  }

  #discard(): void {
    // `remove` handles its own errors, so there is no need to wait for it.
    void this.#state.transaction?.mail?.remove()
    this.#state.transaction?.slow?.end()
    this.#state.transaction?.flight.end()
    this.#state.transaction = null
  }

  /** The connection has ended. A mail that is being stored is recorded when it is known whether it was. */
  closed(outcome: AttemptOutcome): void {
    this.endInput(null)
    if (this.#state.transaction && !isStoring(this.#state.transaction))
      this.attempts.record(this.#state.transaction, outcome)
    this.#discard()
  }

  /** Reports that the session was closed with this reply, if that lost a mail. */
  reportCutOff(reply: string): void {
    if (!this.#state.transaction) return
    this.#answers.report(reply)
    this.attempts.record(this.#state.transaction, outcomeOfCutOff(reply), reply)
  }

  #hello(argument: string, isExtended: boolean): Step {
    if (argument === '') return this.#answers.give(replies.BAD_ARGUMENTS)
    this.abandon()
    this.#state.helo = argument
    const { hostname, sizeMaxBytes } = this.#ports
    if (!isExtended) return this.#answers.give(replies.helloReply(hostname))
    return this.#answers.give(replies.extendedHelloReply({ hostname, sizeMaxBytes, offer: this.#offer }))
  }

  #mail(argument: string): Step | Promise<Step> {
    if (this.#state.helo === null) return this.#answers.refuse(replies.SAY_HELLO_FIRST)
    if (this.#ports.credentials && this.#state.username === null) return this.#answers.refuse(replies.AUTH_REQUIRED)
    if (this.#state.transaction) return this.#answers.refuse(replies.NESTED_MAIL)
    const mail = parseMail(argument, this.#ports.limits, this.#ports.offer)
    if ('refusal' in mail) return this.#answers.refuse(mail.refusal)
    if (mail.declaredBytes > this.#ports.sizeMaxBytes)
      return this.#answers.refuse(replies.MAIL_TOO_BIG, { from: mail.mailFrom })
    const hasRoom = this.#ports.diskRoom.isEnough(performance.now())
    return typeof hasRoom === 'boolean'
      ? this.#begin(mail, hasRoom)
      : hasRoom.then((hasRoom) => this.#begin(mail, hasRoom))
  }

  #begin(mail: MailCommand, hasRoom: boolean): Step {
    const from = mail.mailFrom
    if (!hasRoom) return this.#answers.refuse(replies.NO_ROOM, { from })
    if (this.#sessionLimits.tooManyTransactions()) {
      return this.#answers.refuse(replies.TOO_MANY_TRANSACTIONS, { from }, 'close')
    }
    this.#state.transaction = beginTransaction(mail, this.#ports.scenarios.transit.begin())
    return this.#answers.give(replies.SENDER_OK)
  }

  #startTls(argument: string): Step {
    if (!this.#ports.offer.has('STARTTLS')) return this.#answers.give(replies.NOT_IMPLEMENTED)
    if (argument !== '') return this.#answers.give(replies.BAD_ARGUMENTS)
    if (this.#state.tls !== null) return this.#answers.give(replies.ALREADY_TLS)
    return this.#answers.give(replies.READY_FOR_TLS, 'tls')
  }

  #auth(argument: string): Step {
    if (!this.#ports.offer.has('AUTH')) return this.#answers.give(replies.NOT_IMPLEMENTED)
    if (this.#state.helo === null) return this.#answers.give(replies.SAY_HELLO_FIRST)
    if (this.#state.transaction) return this.#answers.give(replies.NESTED_MAIL)
    if (this.#state.username !== null) return this.#answers.give(replies.ALREADY_AUTHENTICATED)
    return this.#takeAuthStep(beginAuth(argument, this.#ports.credentials))
  }

  #takeAuthStep({ reply, exchange, signedInAs }: AuthStep): Step {
    this.#exchange = exchange
    if (signedInAs !== null) this.#state.username = signedInAs
    if (reply === replies.AUTH_WRONG) return this.#answers.refuse(reply)
    return this.#answers.give(reply, exchange ? 'response' : 'command')
  }
}
