import {
  AuthenticationError,
  ConnectionError,
  ContentNotFoundError,
  ForbiddenError,
  MailhatchError,
  MessageTimeoutError,
  NotSettledError,
  ValidationError,
} from '@mailhatch/sdk'
import { ConfigError } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { TooFewMessages, TooManyMessages } from './unexpected-count.ts'

/** Exit codes; `mailhatch help exit-codes` describes them. */
export const EXIT = { failure: 1, usage: 2, timeout: 3, auth: 4, unreachable: 5, config: 78 }

/** Tells a script who or what can fix the failure. */
export type Category = 'user_input' | 'settings' | 'auth' | 'network' | 'timeout' | 'api' | 'filesystem' | 'internal'

export type Failure = { code: string; category: Category; retryable: boolean; exitCode: number } & Partial<
  Pick<MessageTimeoutError, 'arrived' | 'refused' | 'page'> & Pick<NotSettledError, 'state'>
>

/** An SMTP server rejected the mail. */
export class SmtpRefusal extends Error {
  /** Such as `550 5.7.1 Mail for this domain is not accepted here`. */
  readonly reply: string

  constructor(reply: string) {
    super(`The SMTP server rejected the mail: ${reply}`)
    this.name = 'SmtpRefusal'
    this.reply = reply
  }
}

/** After these statuses, the same request may succeed later. */
const TRANSIENT_STATUSES = [429, 502, 503, 504]

export function describeFailure(error: unknown): Failure {
  if (error instanceof ConfigError) return failure('settings_invalid', 'settings', { exitCode: EXIT.config })
  if (error instanceof SmtpRefusal) return failure('smtp_refused', 'api', { retryable: error.reply.startsWith('4') })
  if (error instanceof AppError) return describeRefusal(error)
  if (error instanceof MailhatchError) return describeAnswer(error)
  if (error instanceof Error && 'syscall' in error && 'code' in error) {
    return failure(String(error.code), error.syscall === 'listen' ? 'network' : 'filesystem')
  }
  return failure('internal', 'internal')
}

/** For errors thrown by the SDK. */
function describeAnswer(error: MailhatchError): Failure {
  const { code, status } = error
  if (error instanceof MessageTimeoutError) {
    const { arrived, refused, page } = error
    return { ...timedOut(code), arrived, refused, page }
  }
  if (error instanceof NotSettledError) return { ...timedOut(code), state: error.state }
  if (error instanceof TooFewMessages) return timedOut(code)
  if (error instanceof TooManyMessages) return failure(code, 'user_input')
  if (error instanceof ConnectionError) return failure(code, 'network', { retryable: true, exitCode: EXIT.unreachable })
  if (error instanceof AuthenticationError || error instanceof ForbiddenError) {
    return failure(code, 'auth', { exitCode: EXIT.auth })
  }
  if (error instanceof ContentNotFoundError) return failure(code, 'user_input')
  if (error instanceof ValidationError) return failure(code, 'user_input', { exitCode: EXIT.usage })
  return failure(code, 'api', { retryable: TRANSIENT_STATUSES.includes(status) })
}

const timedOut = (code: string) => failure(code, 'timeout', { retryable: true, exitCode: EXIT.timeout })

/** For errors of commands that work directly on the data. */
function describeRefusal({ code, status }: AppError): Failure {
  if (status === 401) return failure(code, 'auth', { exitCode: EXIT.auth })
  if (status === 400 || status === 422) return failure(code, 'user_input', { exitCode: EXIT.usage })
  return failure(code, 'user_input', { retryable: TRANSIENT_STATUSES.includes(status) })
}

function failure(
  code: string,
  category: Category,
  { retryable = false, exitCode = EXIT.failure }: { retryable?: boolean; exitCode?: number } = {},
): Failure {
  return { code, category, retryable, exitCode }
}
