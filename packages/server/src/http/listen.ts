import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { AppError } from '../domain/errors.ts'
import { newRequestId } from './request-id.ts'
import { cutSlowReaders, type ReaderLimits } from './slow-readers.ts'

const HEADER_BYTES_MAX = 16 * 1024
const HEADERS_MS = 10_000
/** For the whole request to arrive. Held waits and streams may respond later than that. */
const REQUEST_MS = 60_000
/** Longer than the usual 60 s of load balancers, so that they close first and never use a closed connection. */
const KEEP_ALIVE_MS = 65_000
const CLOSE_IDLE_EVERY_MS = 50
const CLOSE_MS_MAX = 5_000
/** For a refused client to read the response and close its side. Closing at once could discard the response. */
const LINGER_MS = 2_000
/** Connections waiting to be accepted. With Node's default of 511, thousands of waits that start at once lose packets. */
const BACKLOG = 4_096

/** Takes over connections for another protocol. */
export type Upgrades = {
  takes(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export type Listener = { port: number; close(): Promise<void> }

type Options = {
  host: string
  /** A port number, or a port that `takePort` reserved. */
  port: number | TakenPort
  fetch: Parameters<typeof getRequestListener>[0]
  /** Without it, requests to upgrade a connection are answered like others. */
  upgrades?: Upgrades | null
  /** Shorter in tests. */
  readers?: ReaderLimits
}

export async function listen({ host, port, fetch, upgrades, readers }: Options): Promise<Listener> {
  const answer = getRequestListener(fetch, { errorHandler: respondUnreadable })
  /** Their response is written, and Node closes them after it. */
  const refused = new WeakSet<Duplex>()
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (!hasKnownEnd(request)) {
      refused.add(socket)
      return refuse(response, MALFORMED)
    }
    slowReaders.begin(request, response)
    void answer(request, response).then(() => slowReaders.answered(request))
  }
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      // The API refuses a missing Host header itself, in its error shape.
      requireHostHeader: false,
      ...(upgrades && { shouldUpgradeCallback: upgrades.takes }),
    },
    onRequest,
  )
  server.keepAliveTimeout = KEEP_ALIVE_MS
  const slowReaders = cutSlowReaders(server, readers)
  server.once('close', slowReaders.close)
  // Unknown values of the Expect header are ignored.
  server.on('checkExpectation', onRequest)
  server.on('connection', (socket) => {
    // Node stops handling the errors of a connection that it hands over, and an unhandled one would end the process.
    socket.on('error', () => {})
  })
  server.on('connect', (_, socket) => {
    respondAndClose(socket, NO_PROXY)
    // No longer a connection of the server, so what the client still sends is not read otherwise.
    socket.resume()
  })
  if (upgrades) server.on('upgrade', upgrades.take)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return
    // The client would read anything written now as a part of the response in progress.
    if (!socket.writable || slowReaders.isBeingAnswered(socket)) socket.destroy()
    else respondAndClose(socket, CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED)
  })
  if (typeof port === 'number') server.listen({ port, host, backlog: BACKLOG })
  else server.listen(port.socket, BACKLOG).ref()
  await once(server, 'listening')
  return { port: portOf(server), close: () => closeServer(server) }
}

export type TakenPort = { port: number; socket: SocketServer }

/** Reserves a port, or a free one for 0, so that its number is known before the server listens on it. */
export async function takePort({ host, port }: { host: string; port: number }): Promise<TakenPort> {
  // A start that fails later must not keep the process alive.
  const socket = createSocketServer().unref()
  // Until the server listens, clients get a closed connection instead of one that never answers.
  socket.maxConnections = 0
  socket.listen({ port, host, backlog: BACKLOG })
  await once(socket, 'listening')
  return { port: portOf(socket), socket }
}

function portOf(server: SocketServer): number {
  // A listening TCP server has a port. Only a pipe has a path instead.
  return (server.address() as AddressInfo).port
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  // Connections with a response in progress become idle later.
  const timer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  // A connection that never sent a request counts as busy.
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_MS_MAX)
  server.closeIdleConnections()
  await closed
  clearInterval(timer)
  clearTimeout(deadline)
}

const CLIENT_ERRORS: Record<string, AppError> = {
  HPE_HEADER_OVERFLOW: new AppError('headers_too_large', `The headers are larger than ${HEADER_BYTES_MAX} bytes.`),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError('request_timeout', 'The request did not arrive in time.'),
}
const MALFORMED = new AppError('validation_failed', 'The request is not valid HTTP.')

const NO_PROXY = new AppError('method_not_allowed', 'This server is not a proxy.')
const UNREADABLE = new AppError('validation_failed', 'The URL or the Host header is not valid.')

/** Responds to a request whose URL cannot be parsed. Routes handle their own errors, so no other error gets here. */
function respondUnreadable(): Response {
  const { body, requestId } = describe(UNREADABLE)
  const headers = { 'content-type': 'application/json', 'x-request-id': requestId }
  return new Response(body, { status: UNREADABLE.status, headers })
}

function describe({ message, code }: AppError): { body: string; requestId: string } {
  const requestId = newRequestId()
  return { body: JSON.stringify({ error: message, code, requestId }), requestId }
}

/** Node reports a request with an unknown coding, whose body could end anywhere, before it fails. */
function hasKnownEnd({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding === undefined || /(?:^|,)\s*chunked\s*$/i.test(coding)
}

function refuse(response: ServerResponse, error: AppError): void {
  const { body, requestId } = describe(error)
  response.writeHead(error.status, {
    'content-type': 'application/json',
    'x-request-id': requestId,
    connection: 'close',
  })
  response.end(body)
}

/** Requests that Node refuses by itself get the error shape of the API, too. */
function respondAndClose(socket: Duplex, error: AppError): void {
  const { status } = error
  const { body, requestId } = describe(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Otherwise a client that does not close its side would hold the connection, and the shutdown, for as long as it likes.
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(deadline))
}
