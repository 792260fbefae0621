import { matches, needsContent, type MessageFilter } from '../domain/match.ts'
import type { Feed } from '../feed/feed.ts'
import type { Log } from '../log.ts'
import type { PassingMessage, Store } from '../store/store.ts'

const MESSAGES_PER_READ = 500
/** Wake-ups can be lost, and other processes write too: the store is looked at this often in any case. */
const LOOK_EVERY_MS = 1_000

type Follower = { filter: MessageFilter; onMatch: (message: PassingMessage) => void }

export type Followers = {
  /**
   * Calls `onMatch` for everything matching that becomes visible after this has resolved, in order of position, until
   * the returned function is called. What was visible before is for the caller to ask the store, but may come as well.
   */
  follow(teamId: string, filter: MessageFilter, onMatch: (message: PassingMessage) => void): Promise<() => void>
  count(): number
  close(): void
}

type Ports = {
  store: Pick<Store, 'newestPosition' | 'newestPositions' | 'passingMessages'>
  feed: Pick<Feed, 'subscribe'>
  log: Log
}

/** One reading loop a team: each new message is read once and shown to everyone who follows. */
export function createFollowers(ports: Ports): Followers {
  const teams = new Map<string, TeamLoop>()
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking || teams.size === 0) return
    isLooking = true
    lookAtAll()
      .catch((error: unknown) => ports.log.error({ err: error }, 'nobody can see whether there are new messages'))
      .finally(() => (isLooking = false))
  }, LOOK_EVERY_MS).unref()

  /** One question however many teams there are, since most have nothing new. */
  async function lookAtAll(): Promise<void> {
    const newest = await ports.store.newestPositions(Array.from(teams.keys()))
    for (const { teamId, position } of newest) {
      const team = teams.get(teamId)
      if (team && position > team.position()) team.look()
    }
  }

  return {
    async follow(teamId, filter, onMatch) {
      const team = teams.get(teamId) ?? startTeamLoop(ports, teamId)
      teams.set(teamId, team)
      const follower = { filter, onMatch }
      const unfollow = () => {
        team.remove(follower)
        if (team.size() > 0) return
        team.stop()
        if (teams.get(teamId) === team) teams.delete(teamId)
      }
      team.add(follower)
      try {
        await team.ready
      } catch (error) {
        unfollow()
        throw error
      }
      return unfollow
    },
    count: () => teams.values().reduce((sum, team) => sum + team.size(), 0),
    close() {
      clearInterval(timer)
      for (const team of teams.values()) team.stop()
    },
  }
}

type TeamLoop = ReturnType<typeof startTeamLoop>

function startTeamLoop({ store, feed, log }: Ports, teamId: string) {
  // Most followers wait for one tag; they are found by it, so that a message costs the same however many wait.
  const byTag = new Map<string, Set<Follower>>()
  const others = new Set<Follower>()
  let withContent = 0
  let size = 0
  let position = 0
  // Until it is known where to begin, there is nothing that could be the next message.
  let isLooking = true
  let lookAgain = false
  const unsubscribe = feed.subscribe(teamId, take)
  const ready = start()

  async function start(): Promise<void> {
    position = await store.newestPosition(teamId)
    isLooking = false
    if (lookAgain) look()
  }

  /** The next message in order needs no look; anything else says that there is more to see. */
  function take(message: PassingMessage | null): void {
    if (isLooking || message?.position !== position + 1) return look()
    position = message.position
    show(message)
  }

  function look(): void {
    lookAgain = true
    if (isLooking) return
    isLooking = true
    readOn().then(
      () => {
        isLooking = false
        // Asked for after the last read, but before this.
        if (lookAgain) look()
      },
      (error: unknown) => {
        isLooking = false
        log.error({ err: error, teamId }, 'new messages could not be read; trying again soon')
      },
    )
  }

  async function readOn(): Promise<void> {
    while (lookAgain) {
      lookAgain = false
      const range = { after: position, limit: MESSAGES_PER_READ, withContent: withContent > 0 }
      const messages = await store.passingMessages(teamId, range)
      if (withContent > 0 && !range.withContent) {
        // Someone joined meanwhile who would not recognise these: they are read again, whole.
        lookAgain = true
        continue
      }
      for (const message of messages) show(message)
      position = messages.at(-1)?.position ?? position
      if (messages.length === MESSAGES_PER_READ) lookAgain = true
    }
  }

  function show(message: PassingMessage): void {
    const waitingForTag = message.tag === null ? undefined : byTag.get(message.tag)
    for (const follower of waitingForTag ?? []) if (matches(follower.filter, message)) follower.onMatch(message)
    for (const follower of others) if (matches(follower.filter, message)) follower.onMatch(message)
  }

  function tagOf({ tag, mailbox }: MessageFilter): string | null {
    return tag ?? mailbox?.tag ?? null
  }

  return {
    ready,
    position: () => position,
    look,
    size: () => size,
    stop: unsubscribe,
    add(follower: Follower) {
      const tag = tagOf(follower.filter)
      const group = tag === null ? others : (byTag.get(tag) ?? new Set())
      if (tag !== null) byTag.set(tag, group)
      group.add(follower)
      size++
      if (needsContent(follower.filter)) withContent++
    },
    remove(follower: Follower) {
      const tag = tagOf(follower.filter)
      const group = tag === null ? others : byTag.get(tag)
      if (!group?.delete(follower)) return
      if (tag !== null && group.size === 0) byTag.delete(tag)
      size--
      if (needsContent(follower.filter)) withContent--
    },
  }
}
