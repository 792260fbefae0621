import type { Extension, Offer } from './extensions.ts'

// All replies as sent. None contains client input, so a client cannot inject anything into a reply.

export const OK = '250 2.0.0 OK\r\n'
export const SENDER_OK = '250 2.1.0 Sender OK\r\n'
export const RECIPIENT_OK = '250 2.1.5 Recipient OK\r\n'
export const CHUNK_OK = '250 2.0.0 Chunk received\r\n'
export const STORED = '250 2.0.0 Stored\r\n'
export const BYE = '221 2.0.0 Bye\r\n'
export const CANNOT_VERIFY = '252 2.1.5 Cannot verify, but will accept mail\r\n'
export const SEND_DATA = '354 End the mail with <CR><LF>.<CR><LF>\r\n'
export const READY_FOR_TLS = '220 2.0.0 Ready to start TLS\r\n'
export const AUTHENTICATED = '235 2.7.0 Authenticated\r\n'
export const AUTH_CONTINUE = '334 \r\n'
export const AUTH_USERNAME = '334 VXNlcm5hbWU6\r\n'
export const AUTH_PASSWORD = '334 UGFzc3dvcmQ6\r\n'

export const TIMED_OUT = '421 4.4.2 Timed out, closing connection\r\n'
export const TOO_SLOW = '421 4.4.2 Mail is arriving too slowly, closing connection\r\n'
export const SESSION_TOO_LONG = '421 4.4.2 Session lasted too long, closing connection\r\n'
export const SHUTTING_DOWN = '421 4.3.2 Shutting down, try again later\r\n'
export const SERVER_BUSY = '421 4.3.2 Server is busy, try again later\r\n'
export const TOO_MANY_CONNECTIONS = '421 4.7.0 Too many connections, try again later\r\n'
export const TOO_MANY_FROM_ADDRESS = '421 4.7.0 Too many connections from your address, try again later\r\n'
export const TOO_MANY_NEW_FROM_ADDRESS = '421 4.7.0 Connecting too often from your address, try again later\r\n'
export const TOO_MANY_TRANSACTIONS = '421 4.7.0 Too many messages in one connection, connect again\r\n'
export const TOO_MANY_ERRORS = '421 4.7.0 Too many errors, closing connection\r\n'
export const TOO_MANY_UNKNOWN_COMMANDS = '421 4.7.0 Too many unknown commands, closing connection\r\n'
export const NOT_A_WEB_SERVER = '421 4.7.0 This is an SMTP server, closing connection\r\n'

export const NOT_STORED = '451 4.3.0 Mail could not be stored, try again later\r\n'
export const NO_ROOM = '452 4.3.1 Not enough disk space, try again later\r\n'
export const TOO_MANY_RECIPIENTS = '452 4.5.3 Too many recipients\r\n'

export const UNKNOWN_COMMAND = '500 5.5.1 Unknown command\r\n'
export const LINE_TOO_LONG = '500 5.5.2 Line too long\r\n'
export const LINE_MALFORMED = '500 5.5.2 Lines must be UTF-8 without control characters and end with CR LF\r\n'
export const BAD_ARGUMENTS = '501 5.5.4 Syntax error in the arguments\r\n'
export const BAD_PARAMETER = '501 5.5.4 Syntax error in a parameter\r\n'
export const BAD_SENDER = '501 5.1.3 Not a valid sender address\r\n'
export const BAD_RECIPIENT = '501 5.1.3 Not a valid recipient address\r\n'
export const AUTH_MALFORMED = '501 5.5.2 Malformed authentication data\r\n'
export const AUTH_CANCELLED = '501 5.7.0 Authentication cancelled\r\n'
export const NOT_IMPLEMENTED = '502 5.5.1 Command not implemented\r\n'
export const SAY_HELLO_FIRST = '503 5.5.1 Send EHLO or HELO first\r\n'
export const NO_TRANSACTION = '503 5.5.1 Send MAIL first\r\n'
export const NESTED_MAIL = '503 5.5.1 A mail is in progress, send RSET to cancel it\r\n'
export const CHUNKS_BEGUN = '503 5.5.1 BDAT has begun, only BDAT may follow\r\n'
export const BINARY_NEEDS_CHUNKS = '503 5.5.1 A BINARYMIME mail needs BDAT\r\n'
export const ALREADY_TLS = '503 5.5.1 TLS is already active\r\n'
export const ALREADY_AUTHENTICATED = '503 5.5.1 Already authenticated\r\n'
export const UNKNOWN_MECHANISM = '504 5.5.4 Unknown authentication mechanism\r\n'
export const AUTH_REQUIRED = '530 5.7.0 Authentication required\r\n'
export const AUTH_WRONG = '535 5.7.8 Wrong user or password\r\n'
export const NO_MAILBOX = '550 5.1.3 The address has no mailbox before its tag\r\n'
export const DOMAIN_NOT_ALLOWED = '550 5.7.1 Mail for this domain is not accepted here\r\n'
export const MAIL_TOO_BIG = '552 5.3.4 Mail exceeds the size limit\r\n'
export const ADDRESS_NEEDS_UTF8 = '553 5.6.7 Non-ASCII addresses are not supported\r\n'
export const TOO_MANY_HOPS = '554 5.4.6 Too many Received fields, the mail is looping\r\n'
export const NO_RECIPIENTS = '554 5.5.1 No valid recipients\r\n'
export const PLAINTEXT_BEHIND_STARTTLS = '554 5.5.1 Nothing may follow STARTTLS in plain text, closing connection\r\n'
export const DATA_LINE_TOO_LONG = '554 5.6.0 A line of the mail is too long\r\n'
export const UNKNOWN_PARAMETER = '555 5.5.4 Unknown parameter\r\n'

export function greeting(hostname: string): string {
  return `220 ${safeHostname(hostname)} ESMTP Mailhatch\r\n`
}

export function helloReply(hostname: string): string {
  return `250 ${safeHostname(hostname)}\r\n`
}

export function extendedHelloReply({ hostname, sizeMaxBytes, offer }: HelloOptions): string {
  const parameters: Partial<Record<Extension, string>> = { SIZE: ` ${sizeMaxBytes}`, AUTH: ' PLAIN LOGIN' }
  const extensions = Array.from(offer, (name) => `${name}${parameters[name] ?? ''}`)
  const keywords = [safeHostname(hostname), ...extensions, 'ENHANCEDSTATUSCODES']
  return keywords.map((keyword, index) => `250${index < keywords.length - 1 ? '-' : ' '}${keyword}\r\n`).join('')
}

export function helpReply(offer: Offer): string {
  const chunks = offer.has('CHUNKING') ? ' BDAT' : ''
  const others = (['STARTTLS', 'AUTH'] as const).filter((name) => offer.has(name))
  const commands = `EHLO HELO MAIL RCPT DATA${chunks} RSET NOOP VRFY ${[...others, 'QUIT'].join(' ')}`
  return `214 2.0.0 ${commands}; mail is captured, never relayed\r\n`
}

type HelloOptions = { hostname: string; sizeMaxBytes: number; offer: Offer }

export function replyCode(reply: string): number {
  return Number(reply.slice(0, 3))
}

/** The text of a one-line reply, without codes and line end. */
export function replyText(reply: string): string {
  return reply.replace(/^\d{3} (?:\d\.\d{1,3}\.\d{1,3} )?/, '').trimEnd()
}

function safeHostname(hostname: string): string {
  return hostname.replace(/[^A-Za-z0-9.:_[\]-]/g, '') || 'localhost'
}
