import type { ErrorBody } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { AppError } from '../domain/errors.ts'
import { refuseRoute } from '../domain/route-refusal.ts'
import type { Log } from '../log.ts'
import { isOutOfSpace } from '../sqlite/connection.ts'
import type { ApiEnvironment } from './app.ts'
import { newRequestId } from './request-id.ts'

const URL_CHARACTERS_MAX = 8 * 1024

/** One shape for every failure, and an `X-Request-Id` on every answer. */
export function answerErrors(app: Hono<ApiEnvironment>, log: Log): void {
  app.use(async (context, next) => {
    const requestId = newRequestId()
    context.set('requestId', requestId)
    context.header('x-request-id', requestId)
    if (context.req.url.length > URL_CHARACTERS_MAX) {
      throw new AppError('url_too_long', `The URL is longer than ${URL_CHARACTERS_MAX} characters.`)
    }
    await next()
  })

  app.notFound((context) => answer(context, refuseRoute(app.routes, context.req.path)))

  app.onError((error, context) => {
    if (!(error instanceof AppError)) {
      // The route's pattern, not the path: ids and filters stay out of the log.
      log.error({ err: error, requestId: context.get('requestId'), route: context.req.routePath }, 'a request failed')
    }
    return answer(context, refusalFor(error))
  })
}

/** What a client is told of an error. */
export function refusalFor(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isOutOfSpace(error)) return new AppError('storage_full', 'The server is out of disk space.')
  if (isDatabaseAway(error)) {
    const again = { headers: { 'retry-after': '1' } }
    return new AppError('database_unavailable', 'The database cannot be reached. Please ask again.', again)
  }
  return new AppError('internal', 'Something went wrong on our side.')
}

/** Codes of PostgreSQL: connection, too many connections, shut down or starting, cancelled by a limit of time. */
const POSTGRES_AWAY = /^(?:08...|53300|57P0[123]|57014|55P03|25P0[34])$/
const NETWORK_AWAY = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']
/** What the driver says of its own connections has no code. */
const DRIVER_AWAY = /^Connection terminated|^timeout exceeded when trying|^Query read timeout|is not queryable$/

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return POSTGRES_AWAY.test(code) || NETWORK_AWAY.includes(code) || DRIVER_AWAY.test(error.message)
}

function answer(context: Context<ApiEnvironment>, error: AppError): Response {
  const body: ErrorBody = {
    error: error.message,
    code: error.code,
    requestId: context.get('requestId'),
    ...error.extra,
  }
  if (error.details) body.details = error.details
  for (const [name, value] of Object.entries(error.headers)) context.header(name, value)
  // Every status in the table of codes comes with a body.
  return context.json(body, error.status as ContentfulStatusCode)
}
