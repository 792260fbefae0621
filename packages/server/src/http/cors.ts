import type { Hono } from 'hono'
import type { ApiEnvironment } from './app.ts'

const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS'
const REQUEST_HEADERS = 'Authorization, Content-Type, Last-Event-ID'
const EXPOSED_HEADERS = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After'
const PREFLIGHT_SECONDS = '600'

export function allowOrigins(app: Hono<ApiEnvironment>, allowed: string[]): void {
  app.use(async (context, next) => {
    const origin = context.req.header('origin')
    if (origin === undefined) return next()
    const isAllowed = allowed.includes(origin)
    const isPreflight = context.req.method === 'OPTIONS' && context.req.header('access-control-request-method')
    if (isPreflight) {
      const headers: Record<string, string> = { vary: 'Origin' }
      if (isAllowed) {
        headers['access-control-allow-origin'] = origin
        headers['access-control-allow-methods'] = METHODS
        headers['access-control-allow-headers'] = REQUEST_HEADERS
        headers['access-control-max-age'] = PREFLIGHT_SECONDS
      }
      return context.body(null, 204, headers)
    }
    context.header('vary', 'Origin')
    if (isAllowed) {
      context.header('access-control-allow-origin', origin)
      context.header('access-control-expose-headers', EXPOSED_HEADERS)
    }
    return next()
  })
}
