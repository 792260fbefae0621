import { TRPCClientError } from '@trpc/client'
import type { AppRouter } from '../../../server/src/http/rpc/router.ts'

/** What went wrong; the message is the server's if it sent one. */
export type Failure = {
  message: string
  /** A code from docs/errors.md, or `offline` if there was no response. */
  code: string
  requestId: string | null
  details: Record<string, string[]>
}

/** An error response of a plain HTTP route, such as sign-in. */
export class RouteError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.name = 'RouteError'
    this.failure = failure
  }
}

export const OFFLINE: Failure = {
  message: 'The server is not responding. It may have stopped, or you may be offline.',
  code: 'offline',
  requestId: null,
  details: {},
}

export function failureOf(error: unknown): Failure {
  if (error instanceof RouteError) return error.failure
  if (error instanceof TRPCClientError) return fromProcedure(error as TRPCClientError<AppRouter>)
  return {
    message: error instanceof Error ? error.message : 'Something went wrong on this page.',
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

/** What the user can do about it; null if the message already says so. */
export function adviceFor({ code }: Failure): string | null {
  return ADVICE[code] ?? null
}

const ADVICE: Record<string, string> = {
  offline: 'Check that the server is running, then try again.',
  internal: 'Try again. If the error persists, look for the request id in the server log.',
  storage_full: 'Free disk space on the server, then try again.',
  forbidden: 'Ask an owner of your team.',
  unauthorized: 'Your session has ended. Sign in again.',
  mailbox_limit: 'Delete a mailbox you no longer need, or upgrade your plan.',
  key_limit: 'Delete a key you no longer need, or upgrade your plan.',
  member_limit: 'Remove a member, or upgrade your plan.',
  webhooks_unavailable: 'Upgrade your plan under Billing.',
}
