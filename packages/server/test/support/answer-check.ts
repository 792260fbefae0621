import { readFileSync } from 'node:fs'
import type { HttpAnswer } from './http-answer.ts'

const ERRORS_PAGE = new URL('../../../../docs/errors.md', import.meta.url)
/** Of a server that is busy or stops. It is documented for every route, so its body is checked like any other. */
const UNAVAILABLE = 503
/** Words of a stack trace, of a file system or of our own source. */
const LEAKS =
  /node:|\.[cm]?[jt]s:\d|\n\s+at |node_modules|packages\/server|file:\/\/|\/(?:tmp|home|usr|work|root)\/|SQLITE|[A-Z]\w*Error:/

/** Statuses by code, from the page about errors. */
const documented = new Map(
  Array.from(
    readFileSync(ERRORS_PAGE, 'utf8').matchAll(/^\| `(\w+)` \| ([\d, ]+) \|/gm),
    ([, code = '', statuses = '']) => [code, statuses.split(', ').map(Number)],
  ),
)

/** What is wrong with a response of the API, or null. */
export function faultIn(
  { status, headers, body, isEventStream }: HttpAnswer,
  request: { isHead: boolean; path: string },
): string | null {
  if (status >= 500 && status !== UNAVAILABLE) return `status ${status}`
  const text = body.toString()
  const leak = LEAKS.exec(text) ?? LEAKS.exec([...headers.values()].join('\n'))
  if (leak) return `it gives away ${JSON.stringify(leak[0])}`
  const requestId = headers.get('x-request-id')
  if (!requestId) return 'no X-Request-Id'
  if (isEventStream || request.isHead) return null
  if (request.path.includes('trpc')) {
    const fault = faultInProcedures(text, status)
    if (fault === null || status < 400) return fault
  }
  if (status < 400 || (request.path.includes('mcp') && isJsonRpcFailure(parsed(text)))) return null
  return faultInFailure({ status, headers, text, requestId, isLatest: /\/latest\b/.test(request.path) })
}

type Failure = { status: number; headers: Map<string, string>; text: string; requestId: string; isLatest: boolean }

function faultInFailure({ status, headers, text, requestId, isLatest }: Failure): string | null {
  if (!headers.get('content-type')?.startsWith('application/json')) return 'a failure that is not JSON'
  const failure = parsed(text)
  if (failure === null) return 'a failure whose body is no JSON object'
  const { error, code, requestId: bodyRequestId, details, ...others } = failure
  if (typeof error !== 'string' || error.trim() === '') return 'no sentence in `error`'
  if (typeof code !== 'string') return 'no `code`'
  const statuses = documented.get(code)
  if (!statuses) return `the code ${code} is not documented`
  if (!statuses.includes(status)) return `the code ${code} with status ${status} is not documented`
  if (bodyRequestId !== requestId) return 'requestId is not X-Request-Id'
  if (details !== undefined && !isDetails(details)) return '`details` is not {field: [messages]}'
  const allowed = isLatest && status === 404 ? ['cursor', 'arrived', 'refused'] : []
  const stranger = Object.keys(others).find((name) => !allowed.includes(name))
  return stranger === undefined ? null : `\`${stranger}\` in a failure`
}

type Envelope = { result?: unknown; error?: { message?: unknown; code?: unknown; data?: Record<string, unknown> } }

/** Every call has a result or an error, in the envelope of tRPC; several calls in one request have a list of them. */
function faultInProcedures(text: string, status: number): string | null {
  let value: Envelope | Envelope[]
  try {
    value = JSON.parse(text)
  } catch {
    return 'a response of procedures that is not JSON'
  }
  for (const envelope of Array.isArray(value) ? value : [value]) {
    if (Object.keys(envelope).length !== 1) return 'an envelope with other fields'
    const { error } = envelope
    if (!error) {
      if (!('result' in envelope)) return 'an envelope without a result'
      continue
    }
    const { httpStatus, errorCode } = error.data ?? {}
    if (typeof error.message !== 'string' || error.message === '') return 'no sentence in `message`'
    if (typeof errorCode !== 'string' || !documented.has(errorCode))
      return `the code ${String(errorCode)} is not documented`
    if (typeof httpStatus !== 'number' || httpStatus >= 500) return `status ${String(httpStatus)} in an envelope`
    if (!Array.isArray(value) && httpStatus !== status) return `status ${httpStatus} in a response with ${status}`
  }
  return null
}

/** The protocol for AI agents is JSON-RPC. */
function isJsonRpcFailure(body: Record<string, unknown> | null): boolean {
  if (body?.['jsonrpc'] !== '2.0') return false
  const { code, message } = (body['error'] ?? {}) as Record<string, unknown>
  return typeof code === 'number' && typeof message === 'string' && Object.keys(body).length === 3
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    // An object read from JSON has string keys only.
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function isDetails(details: unknown): boolean {
  if (typeof details !== 'object' || details === null) return false
  return Object.values(details).every(
    (messages: unknown) => Array.isArray(messages) && messages.every((message) => typeof message === 'string'),
  )
}
