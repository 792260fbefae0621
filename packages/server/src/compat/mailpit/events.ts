import type { WebSocket } from 'ws'
import { mayRead, type Principal } from '../../domain/access.ts'
import { AppError } from '../../domain/errors.ts'
import { packageVersion } from '../../http/package-version.ts'
import { viewOf } from '../../http/view.ts'
import type { Followed } from '../../read/subscriptions.ts'
import type { Team } from '../../store/mailboxes.ts'
import type { View } from '../../store/messages.ts'
import type { MarkState } from '../../store/read-marks.ts'
import { shuttingDown } from '../../read/wait.ts'
import type { DoorPorts } from '../door.ts'
import { toShortId } from '../short-id.ts'
import { countsOf } from './counts.ts'
import { presentEntry } from './present.ts'

export const EVENT_LIMITS = {
  /** Connections of one key. Each costs some kilobytes. */
  perKey: 1_000,
  perProcess: 10_000,
  /** Bytes that wait for a slow reader. Above it, its connection is closed. */
  waitingBytes: 1024 * 1024,
}
/** Mailpit counts at most four times a second. */
const STATS_DELAY_MS = 250
const PING_EVERY_MS = 30_000
const GOING_AWAY = 1001

export type Events = {
  /** Where a connection that is about to open starts. Throws if there are too many. */
  begin(principal: Principal): Promise<EventStart>
  /** Sends what happens from there on to the messages that the caller sees. */
  connect(principal: Principal, socket: WebSocket, start: EventStart): void
  deleted(teamId: string, ids: string[]): void
  /** After all messages that the caller sees were deleted. */
  emptied(principal: Principal): void
  close(): void
}

/** Read before the client learns that it is connected, so that it misses nothing that it causes. */
export type EventStart = { after: number; marks: MarkState }

/** Connections of one key share what is read for them. */
type Group = {
  principal: Principal
  sockets: Set<WebSocket>
  ending: AbortController
  stats: NodeJS.Timeout | null
  /** At the last count. */
  total: number
}

export function createEvents(ports: DoorPorts, limits = EVENT_LIMITS): Events {
  const groups = new Map<string, Group>()
  const answered = new WeakSet<WebSocket>()
  const version = packageVersion()
  let isClosed = false
  const pings = setInterval(pingAll, PING_EVERY_MS).unref()

  function viewFor({ principal }: Group): View {
    return viewOf(principal, {}, ports.now())
  }

  function send(group: Group, type: string, data: unknown): void {
    const text = JSON.stringify({ Type: type, Data: data })
    for (const socket of group.sockets) {
      if (socket.bufferedAmount > limits.waitingBytes) socket.terminate()
      else socket.send(text)
    }
  }

  function sendStatsSoon(group: Group): void {
    group.stats ??= setTimeout(() => {
      group.stats = null
      sendStats(group).catch((error: unknown) => ports.observe.log.error({ err: error }, 'counting messages failed'))
    }, STATS_DELAY_MS)
  }

  async function sendStats(group: Group): Promise<void> {
    const { total, unread } = await countsOf(ports.store, group.principal, viewFor(group))
    if (isBound(group) && total < group.total) send(group, total === 0 ? 'truncate' : 'prune', null)
    group.total = total
    send(group, 'stats', { Total: total, Unread: unread, Version: version })
  }

  /** Null when the key has ended, or may no longer read. */
  async function teamOf({ principal }: Group): Promise<Team | null> {
    if (principal.keyHash === '') return ports.store.findTeam(principal.team.id)
    const now = await ports.keys.store.findPrincipal(principal.keyHash)
    const isValid = now !== null && (now.expiresAt === null || now.expiresAt > ports.now()) && mayRead(now)
    return isValid && now.mailbox?.id === principal.mailbox?.id ? now.team : null
  }

  async function follow(group: Group, start: EventStart): Promise<void> {
    const followed = ports.messages.subscriptions.follow({
      ...start,
      filter: viewFor(group).filter,
      userId: group.principal.keyId,
      team: () => teamOf(group),
      signal: group.ending.signal,
    })
    for await (const one of followed) {
      await tell(group, one)
      sendStatsSoon(group)
    }
  }

  async function tell(group: Group, followed: Followed): Promise<void> {
    const view = viewFor(group)
    if ('message' in followed) {
      const message = await ports.store.findMessage(view, followed.message.id)
      if (message) send(group, 'new', presentEntry(message, followed.isRead))
      return
    }
    for (const { id, isRead } of followed.marks.changed) {
      // Marks are of the team, and a key may be bound to a mailbox.
      if (await ports.store.findAnchor(view, id)) send(group, 'update', { ID: toShortId(id), Read: isRead })
    }
  }

  function open(principal: Principal, start: EventStart): Group {
    const group: Group = { principal, sockets: new Set(), ending: new AbortController(), stats: null, total: 0 }
    groups.set(principal.keyId, group)
    follow(group, start)
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) ports.observe.log.error({ err: error }, 'following messages failed')
      })
      .finally(() => end(group))
    return group
  }

  function end(group: Group): void {
    if (groups.get(group.principal.keyId) === group) groups.delete(group.principal.keyId)
    group.ending.abort()
    if (group.stats) clearTimeout(group.stats)
    for (const socket of group.sockets) socket.close(GOING_AWAY)
  }

  function pingAll(): void {
    for (const { sockets } of groups.values()) {
      for (const socket of sockets) {
        // It was asked before and has not replied.
        if (!answered.delete(socket)) socket.terminate()
        else socket.ping()
      }
    }
  }

  function groupsOf(teamId: string): Group[] {
    return Array.from(groups.values()).filter(({ principal }) => principal.team.id === teamId)
  }

  return {
    async begin({ keyId, team }) {
      if (isClosed) throw shuttingDown()
      const total = groups.values().reduce((sum, { sockets }) => sum + sockets.size, 0)
      if ((groups.get(keyId)?.sockets.size ?? 0) >= limits.perKey || total >= limits.perProcess) {
        throw new AppError('too_many_streams', 'Too many WebSockets are open. Close one first.')
      }
      const [after, marks] = await Promise.all([ports.store.newestPosition(team.id), ports.store.markState(team.id)])
      return { after, marks }
    },
    connect(principal, socket, start) {
      if (isClosed) return socket.terminate()
      const group = groups.get(principal.keyId) ?? open(principal, start)
      group.sockets.add(socket)
      answered.add(socket)
      socket.on('pong', () => answered.add(socket))
      // The connection closes after it.
      socket.on('error', () => {})
      socket.on('close', () => {
        group.sockets.delete(socket)
        if (group.sockets.size === 0) end(group)
      })
      sendStatsSoon(group)
    },
    deleted(teamId, ids) {
      for (const group of groupsOf(teamId)) {
        if (!isBound(group)) for (const id of ids) send(group, 'delete', { ID: toShortId(id) })
        sendStatsSoon(group)
      }
    },
    emptied({ team: { id: teamId }, mailbox }) {
      const isAll = mailbox === null
      for (const group of groupsOf(teamId)) {
        if (!isBound(group)) send(group, isAll ? 'truncate' : 'prune', null)
        sendStatsSoon(group)
      }
    },
    close() {
      isClosed = true
      clearInterval(pings)
      for (const group of groups.values()) {
        end(group)
        // Shutdown does not wait for clients that do not reply.
        for (const socket of group.sockets) socket.terminate()
      }
    },
  }
}

/** A key that is bound to a mailbox learns no ids of others, only that its own messages are fewer. */
function isBound({ principal }: Group): boolean {
  return principal.mailbox !== null
}
