import type { Env, Hono } from 'hono'

const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const REQUEST_HEADERS = 'Authorization, Content-Type'
const PREFLIGHT_SECONDS = '600'

/** Lets pages of the allowed origins read responses (CORS). `Enter` refuses the requests of others. */
export function allowPages<Environment extends Env>(
  app: Hono<Environment>,
  { allowedOrigins }: { allowedOrigins: string[] },
): void {
  app.use(async (context, next) => {
    const origin = context.req.header('origin')
    if (origin === undefined || !allowedOrigins.includes(origin)) return next()
    const headers = { 'access-control-allow-origin': origin, vary: 'Origin' }
    if (context.req.method === 'OPTIONS') {
      return context.body(null, 204, {
        ...headers,
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': REQUEST_HEADERS,
        'access-control-max-age': PREFLIGHT_SECONDS,
      })
    }
    await next()
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
  })
}
