import { isUtf8 } from 'node:buffer'

// What a byte stream of a client means by RFC 5321, given the server's replies. Written apart from the product, so that it
// can tell when the product sees a command, or the end of a mail, where there is none.

/** A mail that the server has acknowledged, and its accepted RCPT lines. */
export type AcknowledgedMail = { content: Buffer; recipients: string[] }

export type Reading = {
  mails: AcknowledgedMail[]
  /** Replies that the sent bytes do not explain. */
  faults: string[]
  /** The server has everything that it needs for its next reply. */
  isReplyDue: boolean
  /** The last reply ends the dialogue. */
  isOver: boolean
  /** STARTTLS was accepted: the handshake follows. */
  isTls: boolean
}

const LF = 0x0a
const END_OF_DATA = Buffer.from('\r\n.\r\n')
/** Including the line end, as the server announces in its documentation. */
const LINE_BYTES_MAX = 2_048
/** The server closes the connection after this many. */
const LONG_LINES_MAX = 3
// oxlint-disable-next-line no-control-regex -- it matches control characters
const PROPER_LINE = /^[^\x00-\x1f\x7f]*\r\n$/
const CHUNK = /^BDAT +(\d{1,15})( +LAST)? *$/i
const GOODBYE = /^(?:221|421) /
const VERBS = 'EHLO HELO MAIL RCPT DATA BDAT RSET NOOP QUIT VRFY HELP AUTH STARTTLS'.split(' ')

/** `replies` does not include the greeting. */
export function readDialogue(sent: Buffer, replies: readonly string[]): Reading {
  const reading: Reading = { mails: [], faults: [], isReplyDue: false, isOver: false, isTls: false }
  let at = 0
  let used = 0
  let longLines = 0
  let isAuthResponse = false
  let recipients: string[] = []
  let chunks: Buffer[] = []

  function reset(): void {
    recipients = []
    chunks = []
  }

  function nextReply(): string | null {
    const reply = replies[used]
    if (reply === undefined) {
      reading.isReplyDue = true
      return null
    }
    used++
    reading.isOver = GOODBYE.test(reply)
    return reply
  }

  function acknowledge(content: Buffer): void {
    reading.mails.push({ content, recipients })
    reset()
  }

  /** Whether the dialogue goes on. */
  function readData(): boolean {
    const isEmpty = sent.subarray(at, at + 3).equals(END_OF_DATA.subarray(2))
    const end = isEmpty ? at - 2 : sent.indexOf(END_OF_DATA, at)
    if (end === -1) return false
    const content = withoutStuffing(sent.subarray(at, end + 2))
    at = end + END_OF_DATA.length
    const reply = nextReply()
    if (reply === null) return false
    if (reply.startsWith('250 ')) acknowledge(content)
    else reset()
    return true
  }

  function readChunk(size: number, isLast: boolean): boolean {
    if (at + size > sent.length) return false
    chunks.push(sent.subarray(at, at + size))
    at += size
    const reply = nextReply()
    if (reply === null) return false
    if (!reply.startsWith('250 ')) reset()
    else if (isLast) acknowledge(Buffer.concat(chunks))
    return true
  }

  function readLine(): boolean {
    const lineFeed = sent.indexOf(LF, at)
    if (lineFeed === -1) return false
    const isTooLong = lineFeed + 1 - at > LINE_BYTES_MAX
    const bytes = sent.subarray(at, lineFeed + 1)
    const line = bytes.toString('latin1')
    at = lineFeed + 1
    const isProper = !isTooLong && PROPER_LINE.test(line) && isUtf8(bytes)
    const verb = isAuthResponse ? '' : line.trimEnd().split(' ')[0]!.toUpperCase()
    const chunk = isProper && !isAuthResponse ? CHUNK.exec(line.trimEnd()) : null
    if (chunk) return readChunk(Number(chunk[1]), chunk[2] !== undefined)

    const reply = nextReply()
    if (reply === null) return false
    const wasAuthResponse = isAuthResponse
    isAuthResponse = reply.startsWith('334')
    if (!isProper && !/^5|^421/.test(reply))
      reading.faults.push(`a malformed line was answered with ${reply.trimEnd()}`)
    if (isTooLong && ++longLines >= LONG_LINES_MAX) reading.isOver = true
    // Without a size, the end of the chunk is unknown.
    if (verb === 'BDAT' && isProper) reading.isOver = true
    if (/^[23]/.test(reply) && !wasAuthResponse && !VERBS.includes(verb))
      reading.faults.push(`an unknown command was answered with ${reply.trimEnd()}`)
    if (reply.startsWith('354')) {
      if (verb !== 'DATA') reading.faults.push(`${verb} was answered with 354`)
      return readData()
    }
    if (verb === 'STARTTLS' && reply.startsWith('554')) reading.isOver = true
    if (verb === 'STARTTLS' && reply.startsWith('220')) reading.isTls = true
    if (reply.startsWith('250')) {
      if (verb === 'RCPT') recipients.push(bytes.toString().trimEnd())
      else if (['MAIL', 'RSET', 'EHLO', 'HELO'].includes(verb)) reset()
    }
    return !reading.isTls
  }

  while (!reading.isOver && readLine());
  for (const reply of replies.slice(used)) {
    // The server may give up at any time, and says so.
    if (GOODBYE.test(reply)) reading.isOver = true
    else reading.faults.push(`nothing was answered with ${reply.trimEnd()}`)
  }
  return reading
}

/** RFC 5321, 4.5.2. Only CRLF ends a line. */
function withoutStuffing(data: Buffer): Buffer {
  return Buffer.from(data.toString('latin1').replaceAll(/(^|\r\n)\./g, '$1'), 'latin1')
}
