import { createHash, timingSafeEqual } from 'node:crypto'
import {
  AUTH_CANCELLED,
  AUTH_CONTINUE,
  AUTH_MALFORMED,
  AUTH_PASSWORD,
  AUTH_USERNAME,
  AUTH_WRONG,
  AUTHENTICATED,
  UNKNOWN_MECHANISM,
} from './replies.ts'

export type SmtpCredentials = { user: string; password: string }

/** State of an AUTH exchange between two lines. */
export type AuthExchange = { mechanism: 'PLAIN' | 'LOGIN'; user: string | null }

/** If `exchange` is set, the client's next line is its response. `signedInAs` is set if the credentials are accepted. */
export type AuthStep = { reply: string; exchange: AuthExchange | null; signedInAs: string | null }

/** `AUTH <mechanism> [initial response]`, RFC 4954. Without `credentials`, any well-formed ones are accepted. */
export function beginAuth(argument: string, credentials: SmtpCredentials | null): AuthStep {
  const [mechanism = '', response] = argument.split(/ +/)
  const name = mechanism.toUpperCase()
  if (name !== 'PLAIN' && name !== 'LOGIN') return finished(UNKNOWN_MECHANISM)
  const exchange: AuthExchange = { mechanism: name, user: null }
  if (response === undefined)
    return { reply: name === 'PLAIN' ? AUTH_CONTINUE : AUTH_USERNAME, exchange, signedInAs: null }
  // RFC 4954 (4): a lone "=" is an empty initial response.
  return continueAuth(exchange, response === '=' ? '' : response, credentials)
}

export function continueAuth(exchange: AuthExchange, line: string, credentials: SmtpCredentials | null): AuthStep {
  if (line === '*') return finished(AUTH_CANCELLED)
  const response = decodeBase64(line)
  if (response === null) return finished(AUTH_MALFORMED)
  if (exchange.mechanism === 'PLAIN') {
    const [, user, password, ...rest] = response.split('\0')
    if (user === undefined || password === undefined || rest.length > 0) return finished(AUTH_MALFORMED)
    return judge({ user, password }, credentials)
  }
  if (exchange.user === null) {
    return { reply: AUTH_PASSWORD, exchange: { mechanism: 'LOGIN', user: response }, signedInAs: null }
  }
  return judge({ user: exchange.user, password: response }, credentials)
}

function judge(given: SmtpCredentials, expected: SmtpCredentials | null): AuthStep {
  // Some clients give their secret as both.
  const signedInAs = given.user === given.password ? '' : given.user
  const accepted = { ...finished(AUTHENTICATED), signedInAs }
  if (!expected) return accepted
  // Compares both in every case, so that the response time does not reveal which one is wrong.
  const isUser = isSameSecret(given.user, expected.user)
  const isPassword = isSameSecret(given.password, expected.password)
  return isUser && isPassword ? accepted : finished(AUTH_WRONG)
}

function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(sha256(given), sha256(expected))
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function finished(reply: string): AuthStep {
  return { reply, exchange: null, signedInAs: null }
}

function decodeBase64(text: string): string | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null
  return Buffer.from(text, 'base64').toString('utf8')
}
