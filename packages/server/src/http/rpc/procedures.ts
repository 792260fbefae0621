import { ZodError, type z } from 'zod'
import { AppError, type ErrorCode } from '../../domain/errors.ts'
import { detailsOf } from '../../intake/schema-problems.ts'
import type { Role, SignedIn } from '../../store/accounts.ts'
import type { Team } from '../../store/mailboxes.ts'
import { refusalFor } from '../errors.ts'
import { codeOf } from './codes.ts'
import { initTRPC, TRPCError } from './trpc.ts'

/** The context of a request, for every procedure. */
export type RpcContext = {
  signedIn: SignedIn | null
  /** Throws if the request comes from another site. */
  requireOrigin: () => void
  /** Whether the caller operates this server. */
  isOperator: () => Promise<boolean>
  /** Reads the session again. */
  readAgain: () => Promise<SignedIn | null>
  /** Throws if the client has disconnected. */
  proceed: () => void
}

/** As for streams of the REST API, so that proxies do not close quiet streams. */
const PING_MS = 10_000
/** Ends streams from time to time, so that they spread over all replicas. The client reconnects by itself. */
const STREAM_MS_MAX = 3_600_000

/** Who may call a procedure: any signed-in user, members of a team, owners of a team, or the operator of the server. */
export type ProcedureAccess = 'anyone' | 'members' | 'owners' | 'operator'

const trpc = initTRPC
  .context<RpcContext>()
  .meta<{ access: ProcedureAccess }>()
  .create({
    // No stack traces in responses, in any environment.
    isDev: false,
    sse: {
      ping: { enabled: true, intervalMs: PING_MS },
      maxDurationMs: STREAM_MS_MAX,
      // Users see a lost connection within 20 seconds.
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

type Caller = Pick<RpcContext, 'signedIn' | 'isOperator'>
type Member = { team: Team; role: Role }

function requireMember({ signedIn }: Caller): Member {
  const { team, role } = signedIn ?? {}
  if (!team || !role) throw new AppError('forbidden', 'Create or join a team first.')
  return { team, role }
}

function requireOwner({ signedIn }: Caller): Member {
  const { team, role } = signedIn ?? {}
  if (!team || role !== 'owner') throw new AppError('forbidden', 'Only owners of the team may do this.')
  return { team, role }
}

async function requireOperator(caller: Caller): Promise<Member> {
  const member = requireOwner(caller)
  if (!(await caller.isOperator())) throw new AppError('forbidden', 'Forbidden')
  return member
}

/** Procedures for these callers. Each call is checked in this order: session, origin, input, role. */
function proceduresFor<Known extends object>(
  access: ProcedureAccess,
  requireRole: (caller: Caller) => Known | Promise<Known>,
) {
  const start = trpc.procedure.meta({ access }).use(answerRefusals).use(requireSession).use(requireOrigin)
  const role = trpc.middleware(async ({ ctx, next }) => next({ ctx: await requireRole(ctx) }))
  return {
    ...start.use(role),
    input: <Schema extends z.ZodType>(schema: Schema) => start.input(schema).use(role),
    /** For input that a schema alone cannot validate. The handler gets the result of `validate` as `asked`. */
    asked: <Schema extends z.ZodType, Asked>(
      schema: Schema,
      validate: (caller: { signedIn: SignedIn }, input: z.output<Schema>) => Promise<Asked>,
    ) =>
      start.input(schema).use(async ({ ctx, input, next }) => {
        // The types are the same, but tRPC derives its own in another way.
        const asked = await validate(ctx, input as z.output<Schema>)
        return next({ ctx: { asked, ...(await requireRole(ctx)) } })
      }),
  }
}

const PROCEDURES = {
  anyone: proceduresFor('anyone', () => ({})),
  members: proceduresFor('members', requireMember),
  owners: proceduresFor('owners', requireOwner),
  operator: proceduresFor('operator', requireOperator),
}

/** Starts the declaration of a procedure: `procedure('owners').input(…).mutation(…)`. */
export function procedure<Access extends ProcedureAccess>(access: Access): (typeof PROCEDURES)[Access] {
  return PROCEDURES[access]
}

/** The refusal with the text and code of the REST API. */
export function refusalOf(error: TRPCError): AppError {
  const { cause, code, message } = error
  if (cause instanceof AppError) return cause
  if (cause instanceof ZodError) {
    return new AppError('validation_failed', 'The input is not valid.', { details: detailsOf(cause) })
  }
  if (code === 'INTERNAL_SERVER_ERROR' || code === 'SERVICE_UNAVAILABLE') return refusalFor(cause ?? error)
  // An error of tRPC itself, such as an unknown procedure.
  return new AppError(TRPC_CODES[code] ?? 'validation_failed', message)
}

const TRPC_CODES: Partial<Record<TRPCError['code'], ErrorCode>> = {
  NOT_FOUND: 'not_found',
  METHOD_NOT_SUPPORTED: 'method_not_allowed',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
}
