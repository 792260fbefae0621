import type { ErrorBody } from '@mailhatch/sdk'
import type { Hono } from 'hono'
import type { StatusCode } from 'hono/utils/http-status'
import { READ_SCOPES } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import type { RandomInt } from '../domain/random-text.ts'
import { type Ask, createMailReader } from '../mcp/mail-reader.ts'
import type { Admit } from './admit.ts'
import { readJson } from './body.ts'
import type { ApiEnvironment } from './environment.ts'
import type { SmtpAddress } from './local-worker.ts'
import { packageVersion } from './package-version.ts'
import { requireScope } from './view.ts'

/** The same limit as for REST bodies. A tool call has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024

export type McpPorts = {
  admit: Admit
  site: { allowedOrigins: string[]; appUrl?: string | null }
  /** Where apps send their mail. Null if unknown. */
  smtp: SmtpAddress | null
  random: RandomInt
}

/** MCP tools over HTTP: stateless, with a key in each request. The tools call the REST routes of this app. */
export function addMcpRoute(app: Hono<ApiEnvironment>, { admit, site, smtp, random }: McpPorts): void {
  app.use('/mcp', async (context, next) => {
    await next()
    if (context.error) context.res = await inProtocolShape(context.res)
  })

  app.all('/mcp', async (context) => {
    const principal = await admit(context)
    requireScope(principal, READ_SCOPES)
    refuseOtherOrigins(context.req.header('origin'), site.allowedOrigins)
    // Pass the socket on, so that a held wait ends when the client disconnects.
    const bindings = { principal, ...(context.env.outgoing ? { outgoing: context.env.outgoing } : {}) }
    const ask: Ask = async (path, options) => app.fetch(new Request(`http://localhost${path}`, options), bindings)
    const url = site.appUrl ?? new URL(context.req.url).origin
    const parts = { reader: createMailReader(ask), scopes: principal.scopes, smtp, url, version, random }
    const { createMcpHandler, createMailServer } = await loadTools()
    // One server per request: requests share no state, and there are no subscribers to notify.
    const handler = createMcpHandler(() => createMailServer(parts), { maxSubscriptions: 0 })
    const { body, status, headers } = await handler.fetch(context.req.raw, await readMessage(context.req.raw))
    // The protocol responds with valid statuses only.
    return context.newResponse(body, status as StatusCode, Object.fromEntries(headers))
  })
}

const version = packageVersion()

/** Loaded with the first request, because the tools take as long to load as the rest of the program. */
async function loadTools() {
  const [protocol, tools] = await Promise.all([import('@modelcontextprotocol/server'), import('../mcp/tools.ts')])
  return { ...tools, createMcpHandler: protocol.createMcpHandler }
}

/** One message per request. Otherwise the rate limit would count several calls as one. */
async function readMessage(request: Request): Promise<{ parsedBody?: unknown }> {
  if (request.method !== 'POST') return {}
  const parsedBody = await readJson(request, { bytesMax: BODY_BYTES_MAX, status: 400 })
  if (Array.isArray(parsedBody)) throw new AppError('validation_failed', 'Send one message per request.')
  return { parsedBody }
}

/** Refuses pages of other sites, which can reach this server through DNS rebinding. */
function refuseOtherOrigins(origin: string | undefined, allowed: string[]): void {
  if (origin !== undefined && !allowed.includes(origin)) throw new AppError('forbidden', 'Forbidden origin')
}

/** In the range that JSON-RPC reserves for servers. */
const REFUSED = -32_000

/** Puts an error into the envelope that MCP clients read. The status and other headers stay. */
async function inProtocolShape(response: Response): Promise<Response> {
  // `answerErrors` creates the body of every error.
  const { error: message, code, requestId } = (await response.json()) as ErrorBody
  const headers = new Headers(response.headers)
  if (response.status === 401) headers.set('www-authenticate', `Bearer realm="Mailhatch", error="invalid_token"`)
  const body = { jsonrpc: '2.0', id: null, error: { code: REFUSED, message, data: { code, requestId } } }
  return Response.json(body, { status: response.status, headers })
}
