import type { Hono } from 'hono'
import { routePath } from 'hono/route'
import type { Meters } from '../observe/meters.ts'
import type { ApiEnvironment } from './environment.ts'
import { pollQuestions } from './routes/questions.ts'
import { settledMessages } from './routes/settled.ts'

/** Their responses are held by default. */
const HELD_ROUTES = [pollQuestions.path, settledMessages.path] as string[]

/** Counts responses by the pattern of their route instead of the URL. Must be added before everything else. */
export function meterResponses(app: Hono<ApiEnvironment>, meters: Meters): void {
  app.use(async (context, next) => {
    const startedAt = performance.now()
    await next()
    const { method } = context.req
    const route = routePath(context)
    const isHeld = context.req.query('wait') !== undefined || HELD_ROUTES.includes(route)
    const seconds = isHeld ? null : (performance.now() - startedAt) / 1000
    meters.responded({ method, route, status: context.res.status, seconds })
  })
}

export function addMetricsRoute(app: Hono<ApiEnvironment>, meters: Meters): void {
  app.get('/metrics', async (context) => context.body(await meters.text(), 200, { 'content-type': meters.contentType }))
}
