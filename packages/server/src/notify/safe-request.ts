import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPublicAddress } from './address-rules.ts'
import { connectPinned } from './pinned-connection.ts'
import { failureSentence, RequestFailure } from './request-failure.ts'
import {
  createPublicResolver,
  resolveLiteral,
  resolveLocalName,
  type ResolvedAddress,
  type ResolveHost,
} from './resolve-host.ts'
import { findUrlProblem, hostOf, isAllowedHost, PRIVATE, type AllowedHosts } from './webhook-url.ts'

/** DNS, TCP and TLS together. An unreachable host costs no more than this. */
const CONNECT_MS_MAX = 5_000
const TOTAL_MS_MAX = 10_000
/** Far more than is kept of a response. A receiver that sends more is cut off. */
const RESPONSE_BYTES_MAX = 64 * 1024

export type SafeResponse = { kind: 'responded'; status: number; headers: IncomingHttpHeaders; body: Buffer }
export type SafeOutcome = SafeResponse | { kind: 'failed'; error: string }

export type SafeRequest = (url: string, post: { headers: Record<string, string>; body: string }) => Promise<SafeOutcome>

type Rules = { findUrlProblem: typeof findUrlProblem; isPublicAddress: (address: string) => boolean }

type Options = {
  allowedHosts: AllowedHosts
  resolve?: ResolveHost
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  responseBytesMax?: number
  /** Only for tests that show what is reachable without the rules. */
  rules?: Rules
}

const RULES: Rules = { findUrlProblem, isPublicAddress: (address) => isPublicAddress(address) && !isOwn(address) }

/** The only way to post to a URL that a customer chose. Never throws and follows no redirects. */
export function createSafeRequest({
  allowedHosts,
  resolve = createPublicResolver(),
  connectTimeoutMs = CONNECT_MS_MAX,
  totalTimeoutMs = TOTAL_MS_MAX,
  responseBytesMax = RESPONSE_BYTES_MAX,
  rules = RULES,
}: Options): SafeRequest {
  async function findAddresses(url: URL): Promise<ResolvedAddress[]> {
    const isAllowed = isAllowedHost(url, allowedHosts)
    const host = hostOf(url)
    const addresses = resolveLiteral(host) ?? (await (isAllowed ? resolveLocalName : resolve)(host))
    if (addresses.length === 0) throw new RequestFailure('The host name has no address.')
    // One private address refuses all: otherwise the DNS server could decide which one is used.
    const isRefused = !isAllowed && addresses.some(({ address }) => !rules.isPublicAddress(address))
    if (isRefused) throw new RequestFailure(PRIVATE.message)
    return addresses
  }

  return async (text, post) => {
    const startedAt = performance.now()
    try {
      const problem = rules.findUrlProblem(text, allowedHosts)
      if (problem) throw new RequestFailure(problem.message)
      const url = new URL(text)
      const socket = await withDeadline(Math.min(connectTimeoutMs, totalTimeoutMs), 'connection', async (signal) =>
        connectPinned(url, await orAborted(findAddresses(url), signal), signal),
      )
      const leftMs = totalTimeoutMs - (performance.now() - startedAt)
      return await withDeadline(leftMs, 'response', (signal) =>
        exchange(socket, url, { ...post, responseBytesMax, signal }),
      ).finally(() => socket.destroy())
    } catch (error) {
      return { kind: 'failed', error: failureSentence(error) }
    }
  }
}

type Exchange = { headers: Record<string, string>; body: string; responseBytesMax: number; signal: AbortSignal }

/** Posts on an open connection. A response counts from its status line on, even if its body is incomplete. */
function exchange(
  socket: Socket,
  url: URL,
  { headers, body, responseBytesMax, signal }: Exchange,
): Promise<SafeResponse> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      // Without an agent: no connection is shared, and proxy settings of the environment are ignored.
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    })
    signal.addEventListener('abort', () => socket.destroy(signal.reason as RequestFailure), { once: true })
    let finish: (() => void) | null = null
    const fail = (error: Error) => (finish ? finish() : reject(error))
    request.on('error', fail)
    request.on('close', () => fail(new RequestFailure('The connection was closed before a response was received.')))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let readBytes = 0
      finish = () => {
        const kept = Buffer.concat(chunks).subarray(0, responseBytesMax)
        resolve({ kind: 'responded', status: response.statusCode!, headers: response.headers, body: kept })
      }
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        readBytes += chunk.length
        if (readBytes >= responseBytesMax) finish?.()
      })
      response.on('error', finish)
      response.on('end', finish)
    })
    request.end(body)
  })
}

async function withDeadline<Result>(
  timeoutMs: number,
  phase: 'connection' | 'response',
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const late = new RequestFailure(
    phase === 'response' ? 'The endpoint did not respond in time.' : 'The connection timed out.',
  )
  const timer = setTimeout(() => controller.abort(late), timeoutMs)
  return work(controller.signal).finally(() => clearTimeout(timer))
}

function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as RequestFailure), { once: true }),
  )
  return Promise.race([work, aborted])
}

/** Other services on this machine are not for customers, even under a public address. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return own.some((each) => canonicalAddress(each.address) === canonicalAddress(address))
}
