import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import type { SeededRandom } from '../support/seeded-random.ts'
import { keepFirstBytes } from './first-bytes.ts'
import type { BeforeTls, ClientDialogue } from './smtp-grammar.ts'
import { readDialogue, type AcknowledgedMail, type Reading } from './smtp-model.ts'

export type Conversation = {
  mails: AcknowledgedMail[]
  /** What the server answered that the sent bytes do not explain. */
  faults: string[]
  /** Replies in plain text where the bytes of the TLS handshake have to be. */
  plainReplies: string[]
  /** A complete command, or a complete mail, that got no reply. */
  isUnanswered: boolean
  /** A TLS handshake was completed, and the dialogue took place after it. */
  isEncrypted: boolean
}

type Options = {
  port: number
  random: SeededRandom
  dialogue: ClientDialogue
  beforeTls: BeforeTls | null
  /** A server that takes longer for a reply hangs. */
  replyMsMax: number
}

const NOTHING_SAID: Conversation = { mails: [], faults: [], plainReplies: [], isUnanswered: false, isEncrypted: false }
/** Its beginning. A record of TLS begins with a control character. */
const PLAIN_REPLY = /^\d{3}[ -]/
const REPLY = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/

/** Performs one dialogue, and compares the replies with what the bytes mean. */
export async function converse({ port, random, dialogue, beforeTls, replyMsMax }: Options): Promise<Conversation> {
  const line = new Line(connectTcp({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true }), replyMsMax)
  try {
    if (!(await line.hasGreeting())) return { ...NOTHING_SAID, faults: ['no greeting'], isUnanswered: true }
    const plain = beforeTls && (await startTls(line, beforeTls, random))
    if (plain?.isEncrypted === false) return plain
    const { steps, isPipelined, chunkBytesMax, ending } = dialogue
    const sent = isPipelined ? [steps.join('')] : steps
    for (const step of sent) {
      await line.send(Buffer.from(step, 'latin1'), random, chunkBytesMax)
      if ((await line.awaitReplies()).isOver) break
    }
    await line.end(ending)
    const result = resultOf(line.read())
    const { faults, plainReplies } = plain ?? NOTHING_SAID
    return { ...result, faults: [...faults, ...result.faults], plainReplies, isEncrypted: plain !== null }
  } finally {
    line.destroy()
  }
}

/** The plain dialogue, and whether the handshake behind it succeeds. */
async function startTls(line: Line, { steps, injected }: BeforeTls, random: SeededRandom): Promise<Conversation> {
  const commands = Buffer.from(steps.join(''), 'latin1')
  const added = Buffer.from(injected?.commands ?? '', 'latin1')
  if (injected?.isInSamePacket) await line.sendWith(commands, added)
  else {
    await line.send(commands, random, random.pick([5, Infinity]))
    line.inject(added)
  }
  let reading = await line.awaitReplies()
  if (!reading.isTls && !reading.isOver) {
    // STARTTLS was part of another line, or the answer to AUTH. What follows is then as plain as the rest.
    line.claim(added)
    reading = await line.awaitReplies()
  }
  if (!reading.isTls) {
    await line.end('close')
    return resultOf(line.read())
  }
  const plain = resultOf(line.read())
  const { isEncrypted, received } = await line.encrypt()
  if (PLAIN_REPLY.test(received)) plain.plainReplies.push(received.trimEnd())
  // What is injected behind STARTTLS breaks the handshake.
  if (!isEncrypted && !injected) plain.faults.push('the handshake failed')
  if (isEncrypted && injected) {
    // The reply to this one is behind the replies to injected commands, if there are any.
    await line.send(Buffer.from('NOOP\r\n'), random, Infinity)
    await line.awaitReplies()
  }
  return { ...plain, isEncrypted }
}

function resultOf({ mails, faults, isReplyDue, isOver }: Reading): Conversation {
  return { ...NOTHING_SAID, mails, faults, plainReplies: [], isUnanswered: isReplyDue && !isOver }
}

/** A connection, what was sent on it, and the replies. */
class Line {
  #socket: Socket
  #sent: Buffer[] = []
  #replies: string[] = []
  #received = ''
  #isClosed = false
  #wake = () => {}
  #replyMsMax: number

  constructor(socket: Socket, replyMsMax: number) {
    this.#socket = socket
    this.#replyMsMax = replyMsMax
    this.#listen()
  }

  async hasGreeting(): Promise<boolean> {
    await this.#until(() => this.#replies.length > 0)
    return this.#replies.shift()?.startsWith('220 ') === true
  }

  read(): Reading {
    return readDialogue(Buffer.concat(this.#sent), this.#replies)
  }

  async send(bytes: Buffer, random: SeededRandom, chunkBytesMax: number): Promise<void> {
    this.#sent.push(bytes)
    for (let at = 0; at < bytes.length;) {
      const end = chunkBytesMax === Infinity ? bytes.length : at + 1 + random.below(chunkBytesMax)
      this.#socket.write(bytes.subarray(at, end))
      at = end
      if (at < bytes.length) await nextTurn()
    }
  }

  /** `added` is in the same packet, but not from the client. */
  async sendWith(bytes: Buffer, added: Buffer): Promise<void> {
    this.#sent.push(bytes)
    this.#socket.write(Buffer.concat([bytes, added]))
  }

  /** These bytes were sent, and count as the client's own. */
  claim(bytes: Buffer): void {
    this.#sent.push(bytes)
  }

  inject(bytes: Buffer): void {
    if (bytes.length > 0) this.#socket.write(bytes)
  }

  async awaitReplies(): Promise<Reading> {
    let reading = this.read()
    await this.#until(() => {
      reading = this.read()
      return !reading.isReplyDue || reading.isOver
    })
    return reading
  }

  /** Whether the handshake succeeds, and the first bytes behind the reply to STARTTLS. What was said before is forgotten. */
  async encrypt(): Promise<{ isEncrypted: boolean; received: string }> {
    const plain = this.#socket
    for (const event of ['data', 'end', 'close']) plain.removeAllListeners(event)
    const { stream, first } = keepFirstBytes(plain)
    const socket = connectTls({ socket: stream, rejectUnauthorized: false })
    socket.on('error', () => {})
    const timer = setTimeout(() => socket.destroy(), this.#replyMsMax)
    const isEncrypted = await Promise.race([
      once(socket, 'secureConnect').then(
        () => true,
        () => false,
      ),
      once(socket, 'close').then(() => false),
    ])
    clearTimeout(timer)
    const received = this.#received + first()
    this.#socket = socket
    this.#isClosed = !isEncrypted
    this.#sent = []
    this.#replies = []
    this.#received = ''
    if (isEncrypted) this.#listen()
    return { isEncrypted, received }
  }

  async end(ending: ClientDialogue['ending']): Promise<void> {
    if (ending === 'reset') return this.destroy()
    this.#socket.end()
    await this.#until(() => this.#isClosed)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #listen(): void {
    this.#socket.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1')
      for (let reply = REPLY.exec(this.#received); reply; reply = REPLY.exec(this.#received)) {
        this.#replies.push(reply[0])
        this.#received = this.#received.slice(reply[0].length)
      }
      this.#wake()
    })
    // An error is followed by `close`; the listener keeps it from ending the process.
    this.#socket.on('error', () => {})
    for (const event of ['end', 'close']) {
      this.#socket.on(event, () => {
        this.#isClosed = true
        this.#wake()
      })
    }
  }

  async #until(isReached: () => boolean): Promise<void> {
    const deadline = Date.now() + this.#replyMsMax
    while (!isReached() && !this.#isClosed && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadline - Date.now())
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
}
