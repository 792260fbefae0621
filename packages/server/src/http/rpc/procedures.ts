import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import { detailsOf } from '../../intake/announcement.ts'
import type { SignedIn } from '../../store/accounts.ts'
import { refusalFor } from '../errors.ts'
import { codeOf } from './codes.ts'

/** What every procedure knows of the request. */
export type RpcContext = {
  signedIn: SignedIn | null
  /** Throws when a page of another site asks. */
  requireOrigin: () => void
  /** The same session as it is by now. */
  lookAgain: () => Promise<SignedIn | null>
  /** Throws when nobody waits for the answer any more. */
  proceed: () => void
}

/** As often as streams of the REST API; a proxy must not take a quiet stream for a dead one. */
const PING_MS = 10_000
/** Ended now and then, streams spread anew over replicas; the client comes back by itself. */
const STREAM_MS_MAX = 3_600_000

const trpc = initTRPC.context<RpcContext>().create({
  // No stacks in answers, whatever the environment.
  isDev: false,
  sse: {
    ping: { enabled: true, intervalMs: PING_MS },
    maxDurationMs: STREAM_MS_MAX,
    // People are told of a dead connection within 20 seconds.
    client: { reconnectAfterInactivityMs: 1.7 * PING_MS },
  },
  errorFormatter({ shape, error }) {
    const { code: errorCode, message, details } = refusalOf(error)
    return { ...shape, message, data: { ...shape.data, errorCode, details } }
  },
})

export const { router } = trpc

const answerRefusals = trpc.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok) return result
  const { status, message } = refusalOf(result.error)
  throw new TRPCError({ code: codeOf(status), message, cause: result.error.cause ?? result.error })
})

const requireSession = trpc.middleware(({ ctx, next }) => {
  if (!ctx.signedIn) throw new AppError('unauthorized', 'Unauthorized')
  return next({ ctx: { signedIn: ctx.signedIn } })
})

const requireOrigin = trpc.middleware(({ ctx, type, next }) => {
  if (type === 'mutation') ctx.requireOrigin()
  return next()
})

/** For everyone who is signed in; `.input(…)` comes before `.use(asMember)` or `.use(asOwner)`, as checks do. */
export const procedure = trpc.procedure.use(answerRefusals).use(requireSession).use(requireOrigin)

export const asMember = trpc.middleware(({ ctx, next }) => {
  const { team, role } = ctx.signedIn ?? {}
  if (!team || !role) throw new AppError('forbidden', 'Make or join a team first.')
  return next({ ctx: { team, role } })
})

export const asOwner = trpc.middleware(({ ctx, next }) => {
  const { team, role } = ctx.signedIn ?? {}
  if (!team || role !== 'owner') throw new AppError('forbidden', 'Only owners of the team may do this.')
  return next({ ctx: { team } })
})

/** What went wrong, in the words and codes of the REST API. */
export function refusalOf(error: TRPCError): AppError {
  const { cause, code, message } = error
  if (cause instanceof AppError) return cause
  if (cause instanceof ZodError) {
    return new AppError('validation_failed', 'The input is not valid.', { details: detailsOf(cause) })
  }
  if (code === 'INTERNAL_SERVER_ERROR' || code === 'SERVICE_UNAVAILABLE') return refusalFor(cause ?? error)
  // Of tRPC's own, such as a procedure that does not exist.
  return new AppError(OWN_CODES[code] ?? 'validation_failed', message)
}

const OWN_CODES: Partial<Record<TRPCError['code'], ErrorCode>> = {
  NOT_FOUND: 'not_found',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
}
