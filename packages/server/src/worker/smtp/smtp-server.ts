import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer } from 'node:net'
import { createSecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import type { EndedAttempt } from '../../domain/attempt.ts'
import type { Log } from '../../observe/log.ts'
import type { SmtpCredentials } from './authentication.ts'
import { ConnectionLimits } from './connection-limits.ts'
import type { ReceivedMail } from './deliver.ts'
import type { DialoguePorts } from './dialogue-ports.ts'
import type { Scripts } from '../scripts.ts'
import { Transit } from '../transit.ts'
import { DiskRoom } from './disk-room.ts'
import { offerWithout, type Extension } from './extensions.ts'
import { Holds } from './holds.ts'
import type { Limits } from './limits.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import type { SmtpRejection } from './rejection.ts'
import { describeRejection } from './rejection.ts'
import { SERVER_BUSY } from './replies.ts'
import type { SmtpSessionPorts } from './session.ts'
import { SmtpSession } from './session.ts'
import { prepareSpoolFolder } from './spool.ts'

export type SmtpSettings = {
  host: string
  /** A number, or a socket that already has the port. */
  port: number | { socket: Server }
  /** Host name in the greeting. */
  hostname: string
  sizeMaxBytes: number
  /** Folder for mail over 1 MiB in transfer. Files ending in `.spool` are deleted at start-up. */
  spoolFolder: string
  tls: { key: string; cert: string } | null
  /** Null: AUTH is offered and accepts any credentials, but is not required. */
  credentials: SmtpCredentials | null
  allowedDomains: string[] | null
  /** Default: none. */
  hiddenExtensions?: Extension[]
  /** Default: twice the size limit. */
  freeBytesMin?: number
  limits?: Partial<Limits>
}

export type SmtpServerPorts = {
  /** Called at most once a second. */
  freeBytes: () => Promise<number>
  /** The mail is durable when this resolves with the ids of its messages, one per recipient. An error with code `ENOSPC` or `outOfSpace: true` means a full disk. */
  receive: (mail: ReceivedMail) => Promise<string[]>
  onRejection: (refusal: SmtpRejection) => void
  /** Default: attempts are not recorded. */
  onAttempts?: (attempts: EndedAttempt[]) => void
  /** Default: no address has a script. */
  scripts?: Scripts
  /** Counts the mail in open transactions. Default: a new one. */
  transit?: Transit
  /** While true, new connections are refused and open ones continue. Default: never. */
  isOverloaded?: () => boolean
  log: Pick<Log, 'debug' | 'warn' | 'error'>
}

export type SmtpServer = {
  port: number
  readonly connections: number
  /** Stops listening, lets transfers finish, and closes every session. */
  close(): Promise<void>
}

/** Resolves when the server is listening. */
export async function startSmtpServer(ports: SmtpServerPorts, settings: SmtpSettings): Promise<SmtpServer> {
  const { receive, onRejection, log } = ports
  const { sizeMaxBytes, tls } = settings
  const limits: Limits = { ...DEFAULT_LIMITS, ...settings.limits }
  const connections = new ConnectionLimits(limits)
  const sessions = new Set<SmtpSession>()
  const allGone = Promise.withResolvers<void>()
  const allClosed = Promise.withResolvers<void>()
  let isClosing = false
  /** How many idle clients are disconnected sooner than otherwise. */
  let excess = 0

  const dialogue: DialoguePorts = {
    hostname: settings.hostname,
    credentials: settings.credentials,
    allowedDomains: settings.allowedDomains && new Set(settings.allowedDomains.map(toComparableDomain)),
    offer: offerWithout([...(settings.hiddenExtensions ?? []), ...(tls === null ? (['STARTTLS'] as const) : [])]),
    sizeMaxBytes,
    limits,
    diskRoom: new DiskRoom({
      freeBytes: ports.freeBytes,
      neededBytes: settings.freeBytesMin ?? 2 * sizeMaxBytes,
      cacheMs: limits.diskRoomMs,
      log,
    }),
    spoolFolder: settings.spoolFolder,
    memory: { usedBytes: 0 },
    scenarios: { scripts: ports.scripts ?? null, holds: new Holds(), transit: ports.transit ?? new Transit() },
    events: { onRejection, onAttempts: ports.onAttempts ?? null },
    log,
  }
  const sessionPorts: SmtpSessionPorts = {
    dialogue,
    receive,
    log,
    secureContext: tls && createSecureContext(tls),
    isLoaded: () => excess > 0,
    isClosing: () => isClosing,
    onGone: (session) => {
      sessions.delete(session)
      if (isClosing && sessions.size === 0) allGone.resolve()
    },
  }

  function accept(socket: Socket): void {
    const remoteAddress = socket.remoteAddress ?? ''
    const refusal = ports.isOverloaded?.() ? SERVER_BUSY : connections.enter(remoteAddress, performance.now())
    if (refusal !== null) return refuseConnection(socket, refusal, ports)
    socket.once('close', () => {
      connections.leave(remoteAddress)
      if (isClosing && connections.open === 0) allClosed.resolve()
    })
    sessions.add(new SmtpSession(socket, sessionPorts))
  }

  await prepareSpoolFolder(settings.spoolFolder)
  // Half-open, so that a client that closed its side after sending still gets the replies.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept)
  const { port, host } = settings
  if (typeof port === 'number') server.listen({ port, host, backlog: limits.backlog })
  else server.listen(port.socket, limits.backlog).ref()
  await once(server, 'listening')
  server.on('error', (error) => log.error({ err: error }, 'the SMTP listener failed'))

  const ticking = setInterval(() => {
    const now = performance.now()
    connections.sweep(now)
    checkSessions(now)
  }, limits.tickMs)

  /** The oldest first. Those that have hung up do not count, although their clients may take seconds to close. */
  function checkSessions(now: number): void {
    const open = [...sessions].filter(({ hasHungUp }) => !hasHungUp).length
    excess = open - limits.connectionsMax * limits.loadedShare
    for (const session of sessions) {
      const { hasHungUp } = session
      session.check(now)
      if (session.hasHungUp && !hasHungUp) excess--
    }
  }

  async function shutDown(): Promise<void> {
    isClosing = true
    const closed = once(server, 'close')
    server.close()
    dialogue.scenarios.holds.release()
    for (const session of sessions) session.advance()
    if (sessions.size > 0) await settledWithin(allGone.promise, limits.shutdownMs)
    for (const session of sessions) session.destroy()
    if (connections.open > 0) await allClosed.promise
    await closed
    clearInterval(ticking)
  }

  let closing: Promise<void> | null = null
  return {
    // A listening TCP server has a port. Only a pipe has a path instead.
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections.open
    },
    close: () => (closing ??= shutDown()),
  }
}

function refuseConnection(socket: Socket, refusal: string, { log, onRejection }: SmtpServerPorts): void {
  socket.on('error', (error) => log.debug({ err: error }, 'a refused SMTP connection failed'))
  onRejection(describeRejection(refusal, { remoteAddress: socket.remoteAddress ?? null }))
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

/** Lower case and A-labels, the form that address parsing produces. */
export function toComparableDomain(domain: string): string {
  return domainToASCII(domain) || domain.toLowerCase()
}
