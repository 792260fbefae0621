import type { ScenarioStage } from '@mailhatch/sdk'
import type { Recipient } from '../../domain/address.ts'
import { parseRecipient, splitLocalPart } from '../../domain/address.ts'
import type { EndedAttempt } from '../../domain/attempt.ts'
import { attemptAtRcpt, attemptsOf, outcomeOfCutOff } from './attempts.ts'
import type { AttemptConnection, AttemptOutcome, NamedRecipient, RcptEnd } from './attempts.ts'
import type { AuthExchange, AuthStep, SmtpCredentials } from './authentication.ts'
import { beginAuth, continueAuth } from './authentication.ts'
import type { MailCommand } from './commands.ts'
import { parseBdat, parseCommand, parseMail, parseRcpt } from './commands.ts'
import type { MailPlan, Scripts } from '../scripts.ts'
import type { Flight, Transit } from '../transit.ts'
import { SessionLimits } from './session-limits.ts'
import type { DiskRoom } from './disk-room.ts'
import type { Offer } from './extensions.ts'
import type { Hold, Holds } from './holds.ts'
import { IncomingMail } from './incoming-mail.ts'
import type { IncomingMailPorts } from './incoming-mail.ts'
import type { LineFault } from './line-reader.ts'
import type { SmtpRejection } from './rejection.ts'
import { describeRejection } from './rejection.ts'
import * as replies from './replies.ts'

export type DialoguePorts = IncomingMailPorts & {
  hostname: string
  credentials: SmtpCredentials | null
  allowedDomains: ReadonlySet<string> | null
  /** Without STARTTLS if there is no certificate. */
  offer: Offer
  diskRoom: DiskRoom
  /** `scripts` is null if no address has one. `transit` counts the mail for every address, with a script or without. */
  scenarios: { scripts: Scripts | null; holds: Holds; transit: Transit }
  /** `onAttempts` is null if attempts are not recorded. */
  events: {
    onRejection: (refusal: SmtpRejection) => void
    onAttempts: ((attempts: EndedAttempt[]) => void) | null
  }
}

/** What to send, and how to read the bytes that follow. */
export type Step =
  | { next: 'command'; reply: string }
  | { next: 'response'; reply: string }
  | { next: 'tls'; reply: string }
  | { next: 'close'; reply: string }
  | { next: 'cut'; reply: '' }
  | { next: 'data'; reply: string; mail: IncomingMail }
  | { next: 'chunk'; reply: ''; mail: IncomingMail; chunkBytes: number; isLast: boolean }

export type Transaction = {
  mailFrom: string
  recipients: Recipient[]
  /** When each of them was named. */
  startedAt: number[]
  /** A recipient with a script, before the reply to its RCPT. */
  pending: NamedRecipient | null
  stage: ScenarioStage
  isDataAccepted: boolean
  /** Bytes of the mail that was handed over. */
  sizeBytes: number
  /** The messages, once the mail is stored. */
  messageIds: string[] | null
  isRecorded: boolean
  /** Whether a recipient was refused, and reported as a rejection. */
  hasRefused: boolean
  /** Whether a script refused one. */
  hasRefusedByScript: boolean
  isBinary: boolean
  mail: IncomingMail | null
  /** What scripts of its recipients say about DATA and what follows. */
  plans: MailPlan[]
  flight: Flight
}

/** State of one SMTP session, and the reply to the next line. Independent of sockets. */
export class Dialogue {
  helo: string | null = null
  /** The version of TLS. */
  tls: string | null = null
  #ports: DialoguePorts
  #remoteAddress: string | null
  #isAuthenticated = false
  #exchange: AuthExchange | null = null
  #transaction: Transaction | null = null
  #hold: Hold | null = null
  #hasInputEnded = false
  #sessionLimits: SessionLimits
  #connection: string | null = null

  constructor(ports: DialoguePorts, remoteAddress: string | null) {
    this.#ports = ports
    this.#sessionLimits = new SessionLimits(ports.limits)
    this.#remoteAddress = remoteAddress
  }

  /** A BDAT chunk was received and more follow. */
  get isBetweenChunks(): boolean {
    return this.#transaction !== null && this.#transaction.mail !== null
  }

  /** DATA or BDAT was received, and its mail may follow before the reply. */
  get isContentDue(): boolean {
    return this.#transaction?.stage === 'data'
  }

  /** RFC 3207 (4.2): no STARTTLS after STARTTLS. */
  get #offer(): Offer {
    const { offer } = this.#ports
    return this.tls !== null ? offer.difference(new Set(['STARTTLS'])) : offer
  }

  answerLine(line: string): Step | Promise<Step> {
    const { verb, argument } = parseCommand(line)
    switch (verb) {
      case 'MAIL':
        return this.#mail(argument)
      case 'RCPT':
        return this.#rcpt(argument)
      case 'DATA':
        return this.#data(argument)
      case 'BDAT':
        return this.#bdat(argument)
      case 'EHLO':
      case 'HELO':
        return this.#hello(argument, verb === 'EHLO')
      case 'RSET':
        this.abandon()
        return this.#answer(replies.OK)
      case 'NOOP':
        return this.#answer(replies.OK)
      case 'QUIT':
        this.abandon()
        return this.#answer(replies.BYE, 'close')
      case 'AUTH':
        return this.#auth(argument)
      case 'STARTTLS':
        return this.#startTls(argument)
      case 'VRFY':
        return this.#answer(argument === '' ? replies.BAD_ARGUMENTS : replies.CANNOT_VERIFY)
      case 'HELP':
        return this.#answer(replies.helpReply(this.#offer))
      case 'EXPN':
      case 'ETRN':
      case 'TURN':
        return this.#answer(replies.NOT_IMPLEMENTED)
      case 'GET':
      case 'HEAD':
      case 'POST':
      case 'PUT':
      case 'PATCH':
      case 'DELETE':
      case 'OPTIONS':
      case 'CONNECT':
        // A web page can make a browser post text that contains SMTP commands to a local port.
        return this.#answer(replies.NOT_A_WEB_SERVER, 'close')
      default:
        if (this.#sessionLimits.tooManyUnknownCommands())
          return this.#answer(replies.TOO_MANY_UNKNOWN_COMMANDS, 'close')
        return this.#answer(replies.UNKNOWN_COMMAND)
    }
  }

  answerFault({ fault }: LineFault): Step {
    this.#exchange = null
    if (fault === 'malformed') return this.#answer(replies.LINE_MALFORMED)
    return this.#answer(replies.LINE_TOO_LONG, this.#sessionLimits.tooManyLongLines() ? 'close' : 'command')
  }

  /** Handles the client's line in an AUTH exchange. */
  answerResponse(line: string): Step {
    if (!this.#exchange) throw new Error('Got an AUTH response outside an AUTH exchange')
    return this.#takeAuthStep(continueAuth(this.#exchange, line, this.#ports.credentials))
  }

  /** Hands the complete mail to the caller, who is now responsible for removing it and for ending its flight. */
  handOver(): { transaction: Transaction; flight: Flight } {
    if (!this.#transaction) throw new Error('Got a mail outside a transaction')
    const transaction = this.#transaction
    transaction.stage = 'after-data'
    transaction.sizeBytes = transaction.mail?.readBytes ?? 0
    transaction.mail = null
    const { flight } = transaction
    transaction.flight = this.#ports.scenarios.transit.begin()
    return { transaction, flight }
  }

  /** Ends the transaction with this reply. */
  answerMail(reply: string): Step {
    const isStored = reply === replies.STORED
    if (isStored) this.#sessionLimits.resetErrors()
    else this.#reportForAll(reply)
    if (this.#transaction) this.#transaction.stage = 'after-data'
    const step = this.#answer(reply)
    this.end(isStored ? 'accepted' : 'refused', step.reply)
    return step
  }

  /** Ends the transaction with the refusal of a script, which is no error of the client. */
  answerAsScripted(reply: string): Step {
    this.#reportForAll(reply)
    this.end('refused', reply)
    return { next: 'command', reply }
  }

  /** What scripts say about the transfer after more bytes. Null if nothing; true if the connection is cut. */
  transferAfter(bytes: number): Promise<boolean> | null {
    const transaction = this.#transaction
    if (!transaction || transaction.plans.length === 0) return null
    const { plans, mail } = transaction
    const cut = planAt('data', plans)?.action
    const slow = plans.find(({ action }) => action.do === 'slow')?.action
    if (cut?.do === 'cut' && cut.afterBytes !== null && mail !== null && mail.readBytes >= cut.afterBytes) {
      return Promise.resolve(true)
    }
    if (slow?.do !== 'slow') return null
    return this.#ports.scenarios.holds.pause((bytes / slow.bytesPerSecond) * 1_000).over.then(() => false)
  }

  /** Resolves when the reply is due. */
  async delay({ teamId, milliseconds }: { teamId: string; milliseconds: number }): Promise<void> {
    if (this.#hasInputEnded) return
    this.#hold = this.#ports.scenarios.holds.delay(teamId, milliseconds)
    await this.#hold.over
    this.#hold = null
  }

  /**
   * The client sends no more. It counts as gone, so its connection is no longer one that its team delays. `outcome` is set if it can
   * complete no mail any more; it may still read replies.
   */
  endInput(outcome: AttemptOutcome | null): void {
    this.#hasInputEnded = true
    this.#hold?.end()
    const transaction = this.#transaction
    if (outcome === null || !transaction || transaction.mail !== null || isStoring(transaction)) return
    this.record(transaction, outcome)
  }

  answerChunk(): Step {
    return this.#answer(replies.CHUNK_OK)
  }

  /** RFC 3207 (4.2): discards everything the client sent before TLS. */
  startedTls(version: string): void {
    this.abandon()
    this.tls = version
    this.helo = null
    this.#isAuthenticated = false
  }

  /** Discards the transaction and the mail in progress, because the client wants it. */
  abandon(): void {
    this.end('abandoned')
  }

  /** Discards them for another reason. */
  end(outcome: AttemptOutcome, reply: string | null = null): void {
    if (this.#transaction) this.record(this.#transaction, outcome, reply)
    this.#discard()
  }

  #discard(): void {
    // `remove` handles its own errors, so there is no need to wait for it.
    void this.#transaction?.mail?.remove()
    this.#transaction?.flight.end()
    this.#transaction = null
  }

  /** The connection has ended. A mail that is being stored is recorded when it is known whether it was. */
  closed(outcome: AttemptOutcome): void {
    this.endInput(null)
    if (this.#transaction && !isStoring(this.#transaction)) this.record(this.#transaction, outcome)
    this.#discard()
  }

  /** Reports that the session was closed with this reply, if that lost a mail. */
  reportCutOff(reply: string): void {
    if (!this.#transaction) return
    this.#report(reply, {})
    this.record(this.#transaction, outcomeOfCutOff(reply), reply)
  }

  /** Records what became of the recipients who were not refused before. Only the first call has an effect. */
  record(transaction: Transaction, outcome: AttemptOutcome, reply: string | null = null): void {
    const { onAttempts } = this.#ports.events
    const { recipients, startedAt, pending, stage, mail, sizeBytes } = transaction
    if (onAttempts === null || transaction.isRecorded || (recipients.length === 0 && pending === null)) return
    transaction.isRecorded = true
    const connection = this.#describeConnection(transaction)
    const named = recipients.map((recipient, index) => ({ recipient, startedAt: startedAt[index]! }))
    const ended = { outcome, stage, reply, size: mail?.readBytes ?? sizeBytes }
    const attempts = attemptsOf(connection, named, ended, transaction)
    if (pending !== null) attempts.push(attemptAtRcpt(connection, pending, { outcome, reply }))
    onAttempts(attempts)
  }

  #describeConnection({ mailFrom }: Transaction): AttemptConnection {
    this.#connection ??= Math.random().toString(36).slice(2)
    return {
      connection: this.#connection,
      remoteAddress: this.#remoteAddress,
      helo: this.helo,
      tls: this.tls,
      authenticated: this.#isAuthenticated,
      from: mailFrom,
    }
  }

  #recordRefusal(transaction: Transaction, named: NamedRecipient, reply: string): void {
    this.#recordAtRcpt(transaction, named, { outcome: 'refused', reply })
  }

  #recordAtRcpt(transaction: Transaction, named: NamedRecipient, ended: RcptEnd): void {
    this.#ports.events.onAttempts?.([attemptAtRcpt(this.#describeConnection(transaction), named, ended)])
  }

  #hello(argument: string, isExtended: boolean): Step {
    if (argument === '') return this.#answer(replies.BAD_ARGUMENTS)
    this.abandon()
    this.helo = argument
    const { hostname, sizeMaxBytes } = this.#ports
    if (!isExtended) return this.#answer(replies.helloReply(hostname))
    return this.#answer(replies.extendedHelloReply({ hostname, sizeMaxBytes, offer: this.#offer }))
  }

  #mail(argument: string): Step | Promise<Step> {
    if (this.helo === null) return this.#refuse(replies.SAY_HELLO_FIRST)
    if (this.#ports.credentials && !this.#isAuthenticated) return this.#refuse(replies.AUTH_REQUIRED)
    if (this.#transaction) return this.#refuse(replies.NESTED_MAIL)
    const mail = parseMail(argument, this.#ports.limits, this.#ports.offer)
    if ('refusal' in mail) return this.#refuse(mail.refusal)
    if (mail.declaredBytes > this.#ports.sizeMaxBytes)
      return this.#refuse(replies.MAIL_TOO_BIG, { from: mail.mailFrom })
    const hasRoom = this.#ports.diskRoom.isEnough(performance.now())
    return typeof hasRoom === 'boolean'
      ? this.#begin(mail, hasRoom)
      : hasRoom.then((hasRoom) => this.#begin(mail, hasRoom))
  }

  #begin({ mailFrom, isBinary }: MailCommand, hasRoom: boolean): Step {
    if (!hasRoom) return this.#refuse(replies.NO_ROOM, { from: mailFrom })
    if (this.#sessionLimits.tooManyTransactions()) {
      return this.#refuse(replies.TOO_MANY_TRANSACTIONS, { from: mailFrom }, 'close')
    }
    this.#transaction = {
      mailFrom,
      recipients: [],
      startedAt: [],
      pending: null,
      stage: 'rcpt',
      isDataAccepted: false,
      sizeBytes: 0,
      messageIds: null,
      isRecorded: false,
      hasRefused: false,
      hasRefusedByScript: false,
      isBinary,
      mail: null,
      plans: [],
      flight: this.#ports.scenarios.transit.begin(),
    }
    return this.#answer(replies.SENDER_OK)
  }

  #rcpt(argument: string): Step | Promise<Step> {
    const transaction = this.#transaction
    if (!transaction) return this.#refuse(replies.NO_TRANSACTION)
    if (transaction.mail) return this.#refuse(replies.CHUNKS_BEGUN)
    const path = parseRcpt(argument, this.#ports.offer)
    if ('refusal' in path) return this.#refuse(path.refusal)
    const { recipientPathBytesMax, recipientsMax } = this.#ports.limits
    const recipient = Buffer.byteLength(path.address) > recipientPathBytesMax ? null : parseRecipient(path.address)
    const to = path.address
    if (!recipient) return this.#refuse(lacksMailbox(to) ? replies.NO_MAILBOX : replies.BAD_RECIPIENT, { to })
    const named = { recipient, startedAt: Date.now() }
    if (transaction.isRecorded) this.#recordAtRcpt(transaction, named, { outcome: 'closed', reply: null })
    const { allowedDomains } = this.#ports
    if (allowedDomains && !allowedDomains.has(recipient.domain))
      return this.#refuseRecipient(transaction, named, replies.DOMAIN_NOT_ALLOWED)
    if (transaction.recipients.some((known) => isSameMailbox(known, recipient)))
      return this.#answer(replies.RECIPIENT_OK)
    if (transaction.recipients.length >= recipientsMax)
      return this.#refuseRecipient(transaction, named, replies.TOO_MANY_RECIPIENTS)
    // Before the reply, and before a script delays it.
    transaction.flight.add(recipient)
    const plan = this.#ports.scenarios.scripts?.planFor(recipient) ?? null
    if (plan === null) return this.#acceptRecipient(transaction, named)
    transaction.pending = named
    return plan.then((plan) => this.#rcptAsPlanned(transaction, named, plan))
  }

  async #rcptAsPlanned(transaction: Transaction, named: NamedRecipient, plan: MailPlan): Promise<Step> {
    const { action, teamId } = plan
    const isAtRcpt = 'at' in action && action.at === 'rcpt'
    if (isAtRcpt && action.do === 'cut') return CUT
    if (isAtRcpt && action.do === 'delay') await this.delay({ teamId, milliseconds: action.ms })
    transaction.pending = null
    if (isAtRcpt && action.do === 'reject') {
      this.#report(action.reply, { to: named.recipient.address })
      transaction.hasRefusedByScript = true
      transaction.flight.remove(named.recipient)
      // The client may have closed the connection meanwhile.
      if (!transaction.isRecorded) this.#recordRefusal(transaction, named, action.reply)
      return { next: 'command', reply: action.reply }
    }
    if (!isAtRcpt && action.do !== 'accept') transaction.plans.push(plan)
    return this.#acceptRecipient(transaction, named)
  }

  #acceptRecipient(transaction: Transaction, { recipient, startedAt }: NamedRecipient): Step {
    transaction.recipients.push(recipient)
    transaction.startedAt.push(startedAt)
    return this.#answer(replies.RECIPIENT_OK)
  }

  #refuseRecipient(transaction: Transaction, named: NamedRecipient, reply: string): Step {
    const step = this.#refuse(reply, { to: named.recipient.address })
    if (!transaction.isRecorded) this.#recordRefusal(transaction, named, step.reply)
    return step
  }

  #data(argument: string): Step | Promise<Step> {
    const transaction = this.#transaction
    if (argument !== '') return this.#answer(replies.BAD_ARGUMENTS)
    if (!transaction) return this.#refuse(replies.NO_TRANSACTION)
    if (transaction.mail) return this.#refuse(replies.CHUNKS_BEGUN)
    if (transaction.isBinary) return this.#refuse(replies.BINARY_NEEDS_CHUNKS)
    if (transaction.recipients.length === 0) {
      // The client may have sent DATA before it knew of the refusal.
      return transaction.hasRefusedByScript ? NO_RECIPIENTS_BY_SCRIPT : this.#refuse(replies.NO_RECIPIENTS)
    }
    return this.#beginContent(transaction, () => {
      const mail = new IncomingMail(this.#ports, false)
      transaction.mail = mail
      transaction.isDataAccepted = true
      return { next: 'data', reply: replies.SEND_DATA, mail }
    })
  }

  #bdat(argument: string): Step | Promise<Step> {
    if (!this.#ports.offer.has('CHUNKING')) return this.#answer(replies.NOT_IMPLEMENTED)
    const chunk = parseBdat(argument)
    // Without a size, the end of the chunk and the next command cannot be found.
    const transaction = this.#transaction
    if (transaction) transaction.stage = 'data'
    if (!chunk) return this.#refuse(replies.BAD_ARGUMENTS, {}, 'close')
    const isFirst = transaction !== null && transaction.mail === null && transaction.recipients.length > 0
    const read = (): Step => ({ next: 'chunk', reply: '', mail: this.#mailForChunk(), ...chunk })
    return isFirst ? this.#beginContent(transaction, read) : read()
  }

  /** What the scripts of the recipients say at DATA. The first one of each kind decides for all, because there is one reply. */
  #beginContent(transaction: Transaction, begin: () => Step): Step | Promise<Step> {
    transaction.stage = 'data'
    const plan = planAt('data', transaction.plans)
    if (plan === null) return begin()
    const { action, teamId } = plan
    if (action.do === 'delay') return this.delay({ teamId, milliseconds: action.ms }).then(begin)
    if (action.do === 'cut' && action.afterBytes === null) return CUT
    const step = begin()
    if (action.do !== 'reject' || !('mail' in step)) return step
    if (step.next === 'data') {
      transaction.isDataAccepted = false
      return this.answerAsScripted(action.reply)
    }
    // The sender sends the chunk before it reads the reply.
    step.mail.refusal = action.reply
    step.mail.isRefusedByScript = true
    return step
  }

  #mailForChunk(): IncomingMail {
    const transaction = this.#transaction
    if (!transaction) return IncomingMail.refused(this.#ports, replies.NO_TRANSACTION)
    if (transaction.recipients.length === 0) {
      const mail = IncomingMail.refused(this.#ports, replies.NO_RECIPIENTS)
      mail.isRefusedByScript = transaction.hasRefusedByScript
      return mail
    }
    transaction.mail ??= new IncomingMail(this.#ports, transaction.isBinary)
    return transaction.mail
  }

  #startTls(argument: string): Step {
    if (!this.#ports.offer.has('STARTTLS')) return this.#answer(replies.NOT_IMPLEMENTED)
    if (argument !== '') return this.#answer(replies.BAD_ARGUMENTS)
    if (this.tls !== null) return this.#answer(replies.ALREADY_TLS)
    return this.#answer(replies.READY_FOR_TLS, 'tls')
  }

  #auth(argument: string): Step {
    if (!this.#ports.offer.has('AUTH')) return this.#answer(replies.NOT_IMPLEMENTED)
    if (this.helo === null) return this.#answer(replies.SAY_HELLO_FIRST)
    if (this.#transaction) return this.#answer(replies.NESTED_MAIL)
    if (this.#isAuthenticated) return this.#answer(replies.ALREADY_AUTHENTICATED)
    return this.#takeAuthStep(beginAuth(argument, this.#ports.credentials))
  }

  #takeAuthStep({ reply, exchange }: AuthStep): Step {
    this.#exchange = exchange
    if (reply === replies.AUTHENTICATED) this.#isAuthenticated = true
    if (reply === replies.AUTH_WRONG) return this.#refuse(reply)
    return this.#answer(reply, exchange ? 'response' : 'command')
  }

  #answer(reply: string, next: 'command' | 'response' | 'tls' | 'close' = 'command'): Step {
    if (isPermanent(reply) && this.#sessionLimits.tooManyErrors())
      return { next: 'close', reply: replies.TOO_MANY_ERRORS }
    return { next, reply }
  }

  /** A reply that rejects a mail. It is reported as a rejection. */
  #refuse(reply: string, concerned: Concerned = {}, next: 'command' | 'close' = 'command'): Step {
    this.#report(reply, concerned)
    return this.#answer(reply, next)
  }

  /** Reports one rejection per recipient, because each may belong to another team. */
  #reportForAll(reply: string): void {
    const recipients = this.#transaction?.recipients ?? []
    if (recipients.length === 0) this.#report(reply, {})
    for (const { address } of recipients) this.#report(reply, { to: address })
  }

  #report(reply: string, concerned: Concerned): void {
    const transaction = this.#transaction
    // Many clients send the mail after all its recipients were refused. That is the same mail once more.
    if (reply === replies.NO_RECIPIENTS && transaction?.hasRefused) return
    if (transaction && concerned.to !== undefined) transaction.hasRefused = true
    const from = transaction?.mailFrom ?? null
    this.#ports.events.onRejection(describeRejection(reply, { remoteAddress: this.#remoteAddress, from, ...concerned }))
  }
}

const NO_RECIPIENTS_BY_SCRIPT: Step = { next: 'command', reply: replies.NO_RECIPIENTS }
const CUT: Step = { next: 'cut', reply: '' }

/** The plan for a stage of the mail. */
export function planAt(stage: ScenarioStage, plans: MailPlan[]): MailPlan | null {
  return plans.find(({ action }) => 'at' in action && action.at === stage) ?? null
}

function isStoring({ stage, messageIds }: Transaction): boolean {
  return stage === 'after-data' && messageIds === null
}

type Concerned = { from?: string; to?: string }

function isPermanent(reply: string): boolean {
  return reply.startsWith('5')
}

function lacksMailbox(address: string): boolean {
  const at = address.lastIndexOf('@')
  return at > 0 && splitLocalPart(address.slice(0, at)).mailbox === ''
}

function isSameMailbox(one: Recipient, other: Recipient): boolean {
  return one.mailboxWithTag === other.mailboxWithTag && one.domain === other.domain
}
