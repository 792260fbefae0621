import type { Hono } from 'hono'
import type { EarlyStep } from '../answer-errors.ts'
import { allowOf, methodsOf } from '../domain/route-refusal.ts'
import type { ApiEnvironment } from './environment.ts'

const METHODS = 'GET, POST, PATCH, DELETE, OPTIONS'
const REQUEST_HEADERS = 'Authorization, Content-Type, Last-Event-ID'
const EXPOSED_HEADERS = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After'
/** With the headers of MCP, which no other route uses. */
const MCP_REQUEST_HEADERS = `${REQUEST_HEADERS}, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name`
const MCP_EXPOSED_HEADERS = `${EXPOSED_HEADERS}, Mcp-Session-Id, WWW-Authenticate`
const PREFLIGHT_SECONDS = '600'

/** A step that answers preflights, and lets pages of the allowed origins read responses. */
export function corsHeaders(app: Hono<ApiEnvironment>, allowed: string[]): EarlyStep<ApiEnvironment> {
  return (context) => {
    const origin = context.req.header('origin')
    if (origin === undefined) return null
    const isAllowed = allowed.includes(origin)
    const isMcp = context.req.path === '/mcp'
    const isPreflight = context.req.method === 'OPTIONS' && context.req.header('access-control-request-method')
    if (isPreflight) {
      const methods = methodsOf(app.routes, context.req.path)
      const headers: Record<string, string> = { vary: 'Origin' }
      if (methods.length > 0) headers['allow'] = allowOf(methods)
      if (isAllowed) {
        headers['access-control-allow-origin'] = origin
        headers['access-control-allow-methods'] = METHODS
        headers['access-control-allow-headers'] = isMcp ? MCP_REQUEST_HEADERS : REQUEST_HEADERS
        headers['access-control-max-age'] = PREFLIGHT_SECONDS
      }
      return context.body(null, 204, headers)
    }
    context.header('vary', 'Origin')
    if (isAllowed) {
      context.header('access-control-allow-origin', origin)
      context.header('access-control-expose-headers', isMcp ? MCP_EXPOSED_HEADERS : EXPOSED_HEADERS)
    }
    return null
  }
}
