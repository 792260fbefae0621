import { TRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../../server/src/http/rpc/router.ts'

/** What went wrong, in the words of the server where it spoke. */
export type Failure = {
  message: string
  /** One of docs/errors.md, or `offline` when there was no answer. */
  code: string
  requestId: string | null
  details: Record<string, string[]>
}

/** A refusal of a plain route, such as those of sign-in. */
export class RouteError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'RouteError'
    this.failure = failure
  }
}

export const OFFLINE: Failure = {
  message: 'The server does not answer. It may be stopped, or the network is away.',
  code: 'offline',
  requestId: null,
  details: {},
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RouteError) return error.failure
  if (error instanceof TRPCClientError) return fromProcedure(error as TRPCClientError<AppRouter>)
  return {
    message: error instanceof Error ? error.message : 'Something went wrong in this page.',
    code: 'page_error',
    requestId: null,
    details: {},
  }
}

function fromProcedure({ data, message, meta }: TRPCClientError<AppRouter>): Failure {
  if (!data) return OFFLINE
  const response = meta?.['response']
  const requestId = response instanceof Response ? response.headers.get('x-request-id') : null
  return { message, code: data.errorCode, requestId, details: data.details ?? {} }
}

/** What a person can do about it; null where the message says so itself. */
export function adviceFor({ code }: Failure): string | null {
  return ADVICE[code] ?? null
}

const ADVICE: Record<string, string> = {
  offline: 'Check that the server runs and try again.',
  internal: 'Try again. If it stays so, look for the request id in the log of the server.',
  database_unavailable: 'The server lost its database for the moment. Try again.',
  storage_full: 'Free disk space on the server, then try again.',
  rate_limited: 'Wait a moment, then try again.',
  forbidden: 'Ask an owner of your team.',
  unauthorized: 'Your session has ended. Sign in again.',
  mailbox_limit: 'Remove what you no longer need, or take a larger plan.',
  key_limit: 'Remove what you no longer need, or take a larger plan.',
  member_limit: 'Remove what you no longer need, or take a larger plan.',
  webhooks_unavailable: 'Take a larger plan under Billing.',
}
