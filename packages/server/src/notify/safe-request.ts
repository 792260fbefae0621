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

/** Name, TCP and TLS together: a host that is not there costs no more than this. */
const CONNECT_MS_MAX = 5_000
const TOTAL_MS_MAX = 10_000
/** What is kept of an answer is far less; a receiver that sends more is not listened to any longer. */
const RESPONSE_BYTES_MAX = 64 * 1024

export type SafeAnswer = { kind: 'answered'; status: number; headers: IncomingHttpHeaders; body: Buffer }
export type SafeOutcome = SafeAnswer | { kind: 'failed'; error: string }

export type SafeRequest = (url: string, post: { headers: Record<string, string>; body: string }) => Promise<SafeOutcome>

type Rules = { findUrlProblem: typeof findUrlProblem; isPublicAddress: (address: string) => boolean }

type Options = {
  allowedHosts: AllowedHosts
  resolve?: ResolveHost
  connectTimeoutMs?: number
  totalTimeoutMs?: number
  responseBytesMax?: number
  /** Only for the tests that show what would be reached without them. */
  rules?: Rules
}

const RULES: Rules = { findUrlProblem, isPublicAddress: (address) => isPublicAddress(address) && !isOwn(address) }

/** The one way by which anything is posted to an address that a customer chose. Never throws, follows no redirect. */
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
    // One bad answer spoils all: which of them is used would be up to whoever answers.
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
      return await withDeadline(leftMs, 'answer', (signal) =>
        exchange(socket, url, { ...post, responseBytesMax, signal }),
      ).finally(() => socket.destroy())
    } catch (error) {
      return { kind: 'failed', error: failureSentence(error) }
    }
  }
}

type Exchange = { headers: Record<string, string>; body: string; responseBytesMax: number; signal: AbortSignal }

/** Posts on a connection that stands. An answer counts from its status on, however its body ends. */
function exchange(
  socket: Socket,
  url: URL,
  { headers, body, responseBytesMax, signal }: Exchange,
): Promise<SafeAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      // Without an agent: no connection is shared, and no proxy setting of the environment is heard.
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: { ...headers, host: url.host, 'content-length': Buffer.byteLength(body), connection: 'close' },
    })
    signal.addEventListener('abort', () => socket.destroy(signal.reason as RequestFailure), { once: true })
    let finish: (() => void) | null = null
    const fail = (error: Error) => (finish ? finish() : reject(error))
    request.on('error', fail)
    request.on('close', () => fail(new RequestFailure('The connection was closed before an answer came.')))
    request.on('response', (response) => {
      const chunks: Buffer[] = []
      let readBytes = 0
      finish = () => {
        const kept = Buffer.concat(chunks).subarray(0, responseBytesMax)
        resolve({ kind: 'answered', status: response.statusCode!, headers: response.headers, body: kept })
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
  what: 'connection' | 'answer',
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const late = new RequestFailure(
    what === 'answer' ? 'No answer came in time.' : 'No connection could be made in time.',
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

/** Whatever the Internet calls this machine, its other services are not for customers. */
function isOwn(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  return own.some((each) => canonicalAddress(each.address) === canonicalAddress(address))
}
