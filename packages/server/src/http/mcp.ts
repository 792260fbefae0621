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
import { packageVersion } from './package-version.ts'
import { requireScope } from './view.ts'

/** As for the bodies of REST; a call of a tool has a few hundred bytes. */
const BODY_BYTES_MAX = 256 * 1024

export type McpPorts = {
  admit: Admit
  allowedOrigins: string[]
  appUrl?: string | null
  smtp: { host: string; port: number } | null
  random: RandomInt
}

/** The tools for agents over HTTP (MCP): stateless, each request with its key. They ask the REST routes of this very app. */
export function addMcpRoute(
  app: Hono<ApiEnvironment>,
  { admit, allowedOrigins, appUrl, smtp, random }: McpPorts,
): void {
  app.use('/mcp', async (context, next) => {
    await next()
    if (context.error) context.res = await inProtocolShape(context.res)
  })

  app.all('/mcp', async (context) => {
    const principal = await admit(context)
    requireScope(principal, READ_SCOPES)
    refuseOtherOrigins(context.req.header('origin'), allowedOrigins)
    // The socket goes along, so that a held wait ends when the client has gone.
    const bindings = { principal, ...(context.env.outgoing ? { outgoing: context.env.outgoing } : {}) }
    const ask: Ask = async (path, options) => app.fetch(new Request(`http://localhost${path}`, options), bindings)
    const url = appUrl ?? new URL(context.req.url).origin
    const parts = { reader: createMailReader(ask), scopes: principal.scopes, smtp, url, version, random }
    const { createMcpHandler, createMailServer } = await loadTools()
    // A server for each request: there is nothing that two requests could share, and nobody to notify of changes.
    const handler = createMcpHandler(() => createMailServer(parts), { maxSubscriptions: 0 })
    const { body, status, headers } = await handler.fetch(context.req.raw, await readMessage(context.req.raw))
    // Whatever the protocol answers with is a status.
    return context.newResponse(body, status as StatusCode, Object.fromEntries(headers))
  })
}

const version = packageVersion()

/** With the first request of an agent: they take as long to load as the rest of the program. */
async function loadTools() {
  const [protocol, tools] = await Promise.all([import('@modelcontextprotocol/server'), import('../mcp/tools.ts')])
  return { ...tools, createMcpHandler: protocol.createMcpHandler }
}

/** One message a request, or many calls would count as one. */
async function readMessage(request: Request): Promise<{ parsedBody?: unknown }> {
  if (request.method !== 'POST') return {}
  const parsedBody = await readJson(request, { bytesMax: BODY_BYTES_MAX, status: 400 })
  if (Array.isArray(parsedBody)) throw new AppError('validation_failed', 'Send one message in each request.')
  return { parsedBody }
}

/** A page of another site, which found its way here by a name that it made point to us, has no business here. */
function refuseOtherOrigins(origin: string | undefined, allowed: string[]): void {
  if (origin !== undefined && !allowed.includes(origin)) throw new AppError('forbidden', 'Forbidden origin')
}

/** JSON-RPC leaves these numbers to servers. */
const REFUSED = -32_000

/** Our errors in the envelope that MCP clients read; the status, and what else the headers say, stays. */
async function inProtocolShape(response: Response): Promise<Response> {
  // Made by `answerErrors`, like every error.
  const { error: message, code, requestId } = (await response.json()) as ErrorBody
  const headers = new Headers(response.headers)
  if (response.status === 401) headers.set('www-authenticate', `Bearer realm="Mailhatch", error="invalid_token"`)
  const body = { jsonrpc: '2.0', id: null, error: { code: REFUSED, message, data: { code, requestId } } }
  return Response.json(body, { status: response.status, headers })
}
