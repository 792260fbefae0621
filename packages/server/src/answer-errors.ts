import type { ErrorBody } from '@mailhatch/sdk'
import type { Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { BucketUnreachable } from './bucket/bucket.ts'
import { AppError, RETRY_SOON } from './domain/errors.ts'
import { refuseRoute } from './domain/route-refusal.ts'
import type { Log } from './observe/log.ts'

const URL_CHARACTERS_MAX = 8 * 1024

export type AnswerEnvironment = { Variables: { requestId: string } }

type Ports = {
  log: Pick<Log, 'error'>
  newRequestId: () => string
  refusalFor: (error: unknown) => AppError
}

/** Runs before every route. A response ends the request. */
export type EarlyStep<Environment extends AnswerEnvironment> = (context: Context<Environment>) => Response | null

/**
 * Gives every failure of API and worker the same shape, and every response an `X-Request-Id`. The steps share its handler: a held wait
 * keeps memory for each handler.
 */
export function answerErrors<Environment extends AnswerEnvironment>(
  app: Hono<Environment>,
  { log, newRequestId, refusalFor }: Ports,
  earlySteps: EarlyStep<Environment>[] = [],
): void {
  app.use((context, next) => {
    const requestId = newRequestId()
    context.set('requestId', requestId)
    context.header('x-request-id', requestId)
    if (context.req.url.length > URL_CHARACTERS_MAX) {
      throw new AppError('url_too_long', `The URL is longer than ${URL_CHARACTERS_MAX} characters.`)
    }
    for (const step of earlySteps) {
      const response = step(context)
      if (response) return Promise.resolve(response)
    }
    return next()
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

/** The error sent to the client, for errors that both API and worker can meet. */
export function commonRefusalFor(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof BucketUnreachable) {
    return new AppError('storage_unavailable', 'The mail storage cannot be reached. Please retry.', RETRY_SOON)
  }
  return new AppError('internal', 'Something went wrong on our side.')
}

function answer<Environment extends AnswerEnvironment>(context: Context<Environment>, error: AppError): Response {
  const body: ErrorBody = {
    error: error.message,
    code: error.code,
    requestId: context.get('requestId'),
    ...error.extra,
  }
  if (error.details) body.details = error.details
  for (const [name, value] of Object.entries(error.headers)) context.header(name, value)
  // Every status in ERROR_STATUS allows a body.
  return context.json(body, error.status as ContentfulStatusCode)
}
