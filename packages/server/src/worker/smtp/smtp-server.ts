import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createServer } from 'node:net'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import type { Credentials } from './authentication.ts'
import { ConnectionLimits } from './connection-limits.ts'
import type { ReceivedMail } from './deliver.ts'
import { DiskRoom } from './disk-room.ts'
import type { Limits } from './limits.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { Refusal } from './refusal.ts'
import { describeRefusal } from './refusal.ts'
import { TOO_MUCH_TO_DO } from './replies.ts'
import type { Log, SessionPorts } from './session.ts'
import { Session } from './session.ts'
import type { MailContent } from './spool.ts'
import { prepareSpoolFolder } from './spool.ts'

// The receiver's interface in one place: what a caller passes in and gets back.
export type { MailContent, ReceivedMail, Refusal }

export type SmtpOptions = {
  host: string
  port: number
  /** In the greeting. */
  hostname: string
  sizeMaxBytes: number
  /** Where mail over 1 MiB waits; its files with the ending `.spool` are removed at the start. */
  spoolFolder: string
  tls: { key: string; cert: string } | null
  /** Without them AUTH is offered, takes anything, and is not required. */
  credentials: Credentials | null
  allowedDomains: string[] | null
  /** Asked at most once a second. */
  freeBytes: () => Promise<number>
  /** Twice the size limit if not given. */
  freeBytesMin?: number
  /** Durable when it resolves; an error with code `ENOSPC` or `outOfSpace: true` says that the disk is full. */
  receive: (mail: ReceivedMail) => Promise<void>
  onRefusal: (refusal: Refusal) => void
  /** While it says so, new connections are turned away and open ones go on; never if not given. */
  isOverloaded?: () => boolean
  log: Log
  limits?: Partial<Limits>
}

export type SmtpServer = {
  port: number
  readonly connections: number
  /** Stops listening, lets mail in transfer finish, ends every session. */
  close(): Promise<void>
}

/** Resolves when it is listening. */
export async function startSmtpServer(options: SmtpOptions): Promise<SmtpServer> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits }
  const connections = new ConnectionLimits(limits)
  const sessions = new Set<Session>()
  const allGone = Promise.withResolvers<void>()
  const allClosed = Promise.withResolvers<void>()
  let isClosing = false

  const ports: SessionPorts = {
    ...options,
    limits,
    allowedDomains: options.allowedDomains && new Set(options.allowedDomains.map(toComparableDomain)),
    offersTls: options.tls !== null,
    secureContext: options.tls && createSecureContext(options.tls),
    diskRoom: new DiskRoom({
      freeBytes: options.freeBytes,
      neededBytes: options.freeBytesMin ?? 2 * options.sizeMaxBytes,
      believedMs: limits.diskRoomMs,
      log: options.log,
    }),
    memory: { usedBytes: 0 },
    isLoaded: () => connections.isLoaded,
    isClosing: () => isClosing,
    onGone: (session) => {
      sessions.delete(session)
      if (isClosing && sessions.size === 0) allGone.resolve()
    },
  }

  function accept(socket: Socket): void {
    const remoteAddress = socket.remoteAddress ?? ''
    const refusal = options.isOverloaded?.() ? TOO_MUCH_TO_DO : connections.enter(remoteAddress, performance.now())
    if (refusal !== null) return turnAway(socket, refusal, options)
    socket.once('close', () => {
      connections.leave(remoteAddress)
      if (isClosing && connections.open === 0) allClosed.resolve()
    })
    sessions.add(new Session(socket, ports))
  }

  await prepareSpoolFolder(options.spoolFolder)
  // Half-open, so that a client that has said all it has to say still hears the answers.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  server.listen({ port: options.port, host: options.host, backlog: limits.backlog })
  await once(server, 'listening')
  server.on('error', (error) => options.log.error({ err: error }, 'the SMTP listener failed'))

  const ticking = setInterval(() => {
    const now = performance.now()
    connections.sweep(now)
    for (const session of sessions) session.check(now)
  }, limits.tickMs)

  async function shutDown(): Promise<void> {
    isClosing = true
    const closed = once(server, 'close')
    server.close()
    for (const session of sessions) session.advance()
    if (sessions.size > 0) await settledWithin(allGone.promise, limits.shutdownMs)
    for (const session of sessions) session.destroy()
    if (connections.open > 0) await allClosed.promise
    await closed
    clearInterval(ticking)
  }

  const address = server.address()
  let closing: Promise<void> | null = null
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    get connections() {
      return connections.open
    },
    close: () => (closing ??= shutDown()),
  }
}

function turnAway(socket: Socket, refusal: string, { log, onRefusal }: SmtpOptions): void {
  socket.on('error', (error) => log.debug({ err: error }, 'a refused SMTP connection failed'))
  onRefusal(describeRefusal(refusal, { remoteAddress: socket.remoteAddress ?? null }))
  socket.end(refusal, 'latin1', () => socket.destroy())
}

async function settledWithin(promise: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs)
  })
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/** As the address rules write domains: lower case, in A-labels. */
function toComparableDomain(domain: string): string {
  return domainToASCII(domain) || domain.toLowerCase()
}
