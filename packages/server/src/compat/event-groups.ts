import { setTimeout as sleep } from 'node:timers/promises'
import { mayRead, type Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import { isOnlyCopy, mailIdOf } from '../domain/mail-copies.ts'
import { viewOf } from '../http/view.ts'
import type { Followed } from '../read/subscriptions.ts'
import { shuttingDown } from '../read/wait.ts'
import type { Team } from '../store/mailboxes.ts'
import type { View } from '../store/messages.ts'
import type { MarkState } from '../store/read-marks.ts'
import { CAUGHT_UP_MS_MAX, type DoorPorts } from './door.ts'
import type { EventClient } from './event-client.ts'

export const EVENT_LIMITS = {
  /** Connections of one key. Each costs some kilobytes. */
  perKey: 1_000,
  perProcess: 10_000,
  /** Bytes that wait for a slow reader. Above it, its connection is closed. */
  waitingBytes: 1024 * 1024,
  /** How often a connection is checked. */
  pingEveryMs: 30_000,
}

/** Read before the client learns that it is connected, so that it misses nothing that it causes. */
export type EventStart = { after: number; marks: MarkState | null }

/** Connections of one key share what is read for them. */
export type EventGroup<State> = {
  principal: Principal
  clients: Set<EventClient>
  ending: AbortController
  /** The last mails that were told. */
  told: Set<string>
  state: State
}

/** Mails that a group remembers: the messages of one become visible one soon after another. */
const TOLD_MAX = 100
/** For the others to be visible when the first one is told. A worker in this process says when they are. */
const OTHERS_MS = 100

/** What a peer sends. */
type Sender<State> = {
  newState(): State
  withMarks: boolean
  /** Called once for a mail, even if it is several messages. */
  tell(group: EventGroup<State>, followed: Followed): Promise<void>
  /** Called for its other messages. */
  toldMore?(group: EventGroup<State>): void
  joined?(group: EventGroup<State>): void
  ended?(group: EventGroup<State>): void
  /** Called as often as connections are checked. */
  checked?(group: EventGroup<State>): void
}

/** Adds a mail, and forgets old ones. */
export function remember(mails: Set<string>, id: string): void {
  mails.add(id)
  for (const oldest of mails) {
    if (mails.size <= TOLD_MAX) break
    mails.delete(oldest)
  }
}

/** The open event connections of a peer, by key. Each group follows the messages that its key sees, until the key ends. */
export function createEventGroups<State>(ports: DoorPorts, sender: Sender<State>, limits = EVENT_LIMITS) {
  const groups = new Map<string, EventGroup<State>>()
  let isClosed = false
  const pings = setInterval(pingAll, limits.pingEveryMs).unref()

  function viewFor({ principal }: EventGroup<State>): View {
    return viewOf(principal, {}, ports.now())
  }

  /** Null when the key has ended, or may no longer read. */
  async function teamOf({ principal }: EventGroup<State>): Promise<Team | null> {
    if (principal.keyHash === '') return ports.store.findTeam(principal.team.id)
    const now = await ports.keys.store.findPrincipal(principal.keyHash)
    const isValid = now !== null && (now.expiresAt === null || now.expiresAt > ports.now()) && mayRead(now)
    return isValid && now.mailbox?.id === principal.mailbox?.id ? now.team : null
  }

  async function follow(group: EventGroup<State>, start: EventStart): Promise<void> {
    const followed = ports.messages.subscriptions.follow({
      ...start,
      filter: viewFor(group).filter,
      userId: group.principal.keyId,
      team: () => teamOf(group),
      signal: group.ending.signal,
    })
    for await (const one of followed) {
      if ('message' in one && !(await isNewMail(group, one.message.id))) sender.toldMore?.(group)
      else await sender.tell(group, one)
    }
  }

  async function isNewMail({ told }: EventGroup<State>, id: string): Promise<boolean> {
    if (told.has(mailIdOf(id))) return false
    remember(told, mailIdOf(id))
    if (!isOnlyCopy(id)) await othersVisible()
    return true
  }

  async function othersVisible(): Promise<void> {
    const { worker } = ports.inbound
    if (worker) await worker.caughtUp(CAUGHT_UP_MS_MAX)
    else await sleep(OTHERS_MS)
  }

  function openGroup(principal: Principal, start: EventStart): EventGroup<State> {
    const ending = new AbortController()
    const group: EventGroup<State> = {
      principal,
      clients: new Set(),
      ending,
      told: new Set(),
      state: sender.newState(),
    }
    groups.set(principal.keyId, group)
    follow(group, start)
      .catch((error: unknown) => {
        if (!isClosed) ports.observe.log.error({ err: error }, 'following messages failed')
      })
      .finally(() => end(group))
    return group
  }

  function end(group: EventGroup<State>): void {
    if (groups.get(group.principal.keyId) === group) groups.delete(group.principal.keyId)
    group.ending.abort()
    sender.ended?.(group)
    for (const client of group.clients) client.close()
  }

  function requireRoom(keyId: string): void {
    if (isClosed) throw shuttingDown()
    const total = groups.values().reduce((sum, { clients }) => sum + clients.size, 0)
    const group = groups.get(keyId)
    if ((group?.clients.size ?? 0) >= limits.perKey || total >= limits.perProcess) {
      throw new AppError('too_many_streams', 'Too many event connections are open. Close one first.')
    }
    // Others of the group share its subscription.
    if (!group) ports.messages.subscriptions.requireRoom(keyId)
  }

  function pingAll(): void {
    for (const group of groups.values()) {
      for (const client of group.clients) client.ping()
      sender.checked?.(group)
    }
  }

  return {
    viewFor,
    send(group: EventGroup<State>, text: string): void {
      const bytes = Buffer.from(text)
      for (const client of group.clients) {
        if (client.waitingBytes() > limits.waitingBytes) client.cut()
        else client.send(bytes)
      }
    },
    ofTeam(teamId: string): EventGroup<State>[] {
      return Array.from(groups.values()).filter(({ principal }) => principal.team.id === teamId)
    },
    /** Where a connection that is about to open starts. Throws if there are too many. */
    async begin({ keyId, team }: Principal): Promise<EventStart> {
      requireRoom(keyId)
      const [after, marks] = await Promise.all([
        ports.store.newestPosition(team.id),
        sender.withMarks ? ports.store.markState(team.id) : null,
      ])
      return { after, marks }
    },
    /**
     * Sends what happens from there on to the messages that the caller sees. Throws before it opens the connection if there are too
     * many, since others may have opened at the same time. `open` returns null if the client is not connected.
     */
    connect(principal: Principal, start: EventStart, open: () => EventClient | null): void {
      requireRoom(principal.keyId)
      const client = open()
      if (!client) return
      const group = groups.get(principal.keyId) ?? openGroup(principal, start)
      group.clients.add(client)
      client.onClose(() => {
        group.clients.delete(client)
        if (group.clients.size === 0) end(group)
      })
      sender.joined?.(group)
    },
    close(): void {
      isClosed = true
      clearInterval(pings)
      for (const group of groups.values()) {
        end(group)
        // Shutdown does not wait for clients that do not reply.
        for (const client of group.clients) client.cut()
      }
    },
  }
}
