import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { readText } from '../../body-text.ts'
import { AppError } from '../../domain/errors.ts'
import { isOperator } from '../../manage/operator.ts'
import type { ApiEnvironment } from '../environment.ts'
import { BODY_BYTES_MAX } from '../body.ts'
import { refusalFor } from '../errors.ts'
import { findSession, requireOrigin } from '../session.ts'
import { requireNotOverloaded } from '../shedding.ts'
import { whileConnected } from '../view.ts'
import { codeOf } from './codes.ts'
import type { RpcPorts } from './ports.ts'
import { refusalOf } from './procedures.ts'
import { createRouter } from './router.ts'
import { fetchRequestHandler, TRPC_ERROR_CODES_BY_KEY, type TRPCError } from './trpc.ts'

const PATH = '/trpc'
/** Calls in one request. A page needs a handful at once. */
const BATCH_MAX = 20

/** Serves the procedures over tRPC. Every error uses the envelope of tRPC. */
export function addRpcRoute(app: Hono<ApiEnvironment>, ports: RpcPorts): void {
  const router = createRouter(ports)

  app.on(['GET', 'POST'], `${PATH}/*`, async (context) => {
    try {
      const { raw } = context.req
      if (raw.method === 'POST') requireNotOverloaded(ports.observe.isOverloaded)
      const signedIn = await findSession(ports, raw)
      const response = await fetchRequestHandler({
        endpoint: PATH,
        router,
        req: await withWholeBody(raw),
        createContext: () => ({
          signedIn,
          requireOrigin: () => requireOrigin(ports.site, raw),
          isOperator: async () =>
            !!signedIn?.team && !!signedIn.role && isOperator(ports.inbound, signedIn.team, signedIn.role),
          readAgain: () => findSession(ports, raw),
          proceed: whileConnected(context.env.outgoing),
        }),
        maxBatchSize: BATCH_MAX,
        onError: ({ error, path }) => logFailure(error, path),
      })
      const headers = { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
      // Every status that tRPC uses allows a body.
      return context.body(response.body ?? '', response.status as ContentfulStatusCode, headers)
    } catch (error) {
      if (!(error instanceof AppError)) ports.observe.log.error({ err: error }, 'procedure call failed')
      return refuse(context, refusalFor(error))
    }
  })

  function logFailure(error: TRPCError, path: string | undefined): void {
    if (refusalOf(error).status >= 500)
      ports.observe.log.error({ err: error.cause ?? error, procedure: path }, 'procedure failed')
  }
}

/** Reads the body with our limit, because tRPC reads without one. */
async function withWholeBody(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request
  if (method !== 'POST') return request
  // Clients send an empty body if there is no input, but an empty body is not JSON.
  const body = (await readText(request, BODY_BYTES_MAX)) || '{}'
  return new Request(url, { method, headers, signal, body })
}

function refuse(context: Context<ApiEnvironment>, { status, message, code: errorCode, headers }: AppError): Response {
  const code = codeOf(status)
  const data = { code, httpStatus: status, errorCode }
  const answer = { error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } }
  const isBatch = context.req.query('batch') === '1'
  return context.json(isBatch ? [answer] : answer, status as ContentfulStatusCode, headers)
}
