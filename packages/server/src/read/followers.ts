import { matches, needsContent, type MessageFilter } from '../domain/match.ts'
import type { Feed } from '../feed/feed.ts'
import type { Log } from '../observe/log.ts'
import type { ArrivedMessage, PassingMessage, StoredMessage } from '../store/messages.ts'
import type { Store } from '../store/store.ts'

const MESSAGES_PER_READ = 500
/** Wake-ups can be lost, and other processes write too, so the store is polled this often. */
const POLL_MS = 1_000
/** Of each followed team: more than the tests that run at a time. They take 30 kB, less than a stream. */
const TAGS_REMEMBERED = 200

/** `arrived` is the whole message, if this process has just stored it. */
export type OnMatch = (message: PassingMessage, arrived: StoredMessage | null) => void

type Follower = { filter: MessageFilter; onMatch: OnMatch }

export type Followers = {
  /**
   * Calls `onMatch` in order of position for every matching message that becomes visible after this resolves, until the
   * returned function is called. The caller reads earlier messages from the store, but may receive some of them too.
   */
  follow(teamId: string, filter: MessageFilter, onMatch: OnMatch): Promise<() => void>
  /**
   * Whether this process knows of no message after the position that can match, so that the store need not be asked. False if the
   * team is not followed, or was not when the message at the position came, or if there is more to read.
   */
  isNothingAfter(teamId: string, filter: MessageFilter, position: number): boolean
  count(): number
  close(): void
}

type Ports = {
  store: Pick<Store, 'newestPosition' | 'newestPositions' | 'passingMessages'>
  feed: Pick<Feed, 'subscribe'>
  log: Log
}

/** One reading loop per team: each new message is read once and passed to all followers. */
export function createFollowers(ports: Ports): Followers {
  const teams = new Map<string, TeamLoop>()
  let isPolling = false
  const timer = setInterval(() => {
    if (isPolling || teams.size === 0) return
    isPolling = true
    poll()
      .catch((error: unknown) => ports.log.error({ err: error }, 'polling for new messages failed'))
      .finally(() => (isPolling = false))
  }, POLL_MS).unref()

  /** One query for all teams, because most have nothing new. */
  async function poll(): Promise<void> {
    const known = new Map(Array.from(teams, ([teamId, team]) => [teamId, team.position()]))
    const newest = await ports.store.newestPositions(Array.from(known.keys()))
    for (const { teamId, position } of newest) {
      const team = teams.get(teamId)
      if (!team) continue
      if (position < known.get(teamId)!) team.goBack(position)
      else if (position > team.position()) team.read()
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
    isNothingAfter: (teamId, filter, position) => teams.get(teamId)?.isNothingAfter(filter, position) ?? false,
    count: () => teams.values().reduce((sum, team) => sum + team.size(), 0),
    close() {
      clearInterval(timer)
      for (const team of teams.values()) team.stop()
    },
  }
}

type TeamLoop = ReturnType<typeof startTeamLoop>

function startTeamLoop({ store, feed, log }: Ports, teamId: string) {
  // Most followers want one tag or one mailbox. By what they want, a message costs the same for any number of them.
  const groups = new Map<string, Set<Follower>>()
  let withContent = 0
  let size = 0
  let position = 0
  // The newest message of each tag, the least recent tag first. Of other tags, no message came after `knownFrom`.
  const newestByTag = new Map<string, number>()
  let knownFrom = 0
  // Until the start position is known, no message can be the next one.
  let isReading = true
  let readAgain = false
  const unsubscribe = feed.subscribe(teamId, take)
  const ready = start()

  async function start(): Promise<void> {
    position = await store.newestPosition(teamId)
    knownFrom = position
    isReading = false
    if (readAgain) read()
  }

  /** The next message in order is shown directly. Anything else means that there is more to read. */
  function take(message: ArrivedMessage | null): void {
    if (isReading || message?.position !== position + 1) return read()
    position = message.position
    show(message, message)
  }

  function read(): void {
    readAgain = true
    if (isReading) return
    isReading = true
    readAll().then(
      () => {
        isReading = false
        // Requested after the last query but before this point.
        if (readAgain) read()
      },
      (error: unknown) => {
        isReading = false
        readAgain = true
        log.error({ err: error, teamId }, 'reading new messages failed, will retry')
      },
    )
  }

  async function readAll(): Promise<void> {
    while (readAgain) {
      readAgain = false
      const range = { after: position, limit: MESSAGES_PER_READ, withContent: withContent > 0 }
      const messages = await store.passingMessages(teamId, range)
      if (withContent > 0 && !range.withContent) {
        // A follower that needs content joined during the query, so read the messages again with content.
        readAgain = true
        continue
      }
      for (const message of messages) show(message, null)
      position = messages.at(-1)?.position ?? position
      if (messages.length === MESSAGES_PER_READ) readAgain = true
    }
  }

  function show(message: PassingMessage, arrived: StoredMessage | null): void {
    rememberTag(message)
    for (const wanted of allWanted(message)) {
      for (const { filter, onMatch } of groups.get(wanted) ?? [])
        if (matches(filter, message)) onMatch(message, arrived)
    }
  }

  function rememberTag({ tag, position: newest }: PassingMessage): void {
    if (tag === null) return
    newestByTag.delete(tag)
    newestByTag.set(tag, newest)
    for (const [oldest, itsNewest] of newestByTag) {
      if (newestByTag.size <= TAGS_REMEMBERED) break
      newestByTag.delete(oldest)
      knownFrom = itsNewest
    }
  }

  return {
    ready,
    position: () => position,
    /** The database has lost its newest messages, as after a failover. The next ones get their positions. */
    goBack(newest: number): void {
      if (isReading) return
      newestByTag.clear()
      knownFrom = position
      position = newest
    },
    /** A mailbox may be renamed, so only the tag tells that a message cannot match. */
    isNothingAfter(filter: MessageFilter, given: number): boolean {
      if (isReading || readAgain) return false
      const tag = tagOf(filter)
      const newest = tag === null ? position : (newestByTag.get(tag) ?? knownFrom)
      return newest <= given
    },
    read,
    size: () => size,
    stop: unsubscribe,
    add(follower: Follower) {
      const wanted = wantedBy(follower.filter)
      groups.set(wanted, (groups.get(wanted) ?? new Set()).add(follower))
      size++
      if (needsContent(follower.filter)) withContent++
    },
    remove(follower: Follower) {
      const wanted = wantedBy(follower.filter)
      const group = groups.get(wanted)
      if (!group?.delete(follower)) return
      if (group.size === 0) groups.delete(wanted)
      size--
      if (needsContent(follower.filter)) withContent--
    },
  }
}

/** Of a filter that wants neither a tag nor a mailbox. */
const ANYTHING = ''

/** One thing that a message must have. Names of mailboxes begin with a letter or digit. */
function wantedBy(filter: MessageFilter): string {
  const tag = tagOf(filter)
  if (tag !== null) return `+${tag}`
  const { mailbox, mailboxId } = filter
  if (mailbox) return mailbox.name
  return mailboxId === undefined ? ANYTHING : `#${mailboxId}`
}

/** The only tag that a matching message can have; null if there is no such tag. */
function tagOf({ tag, mailbox }: MessageFilter): string | null {
  return tag ?? mailbox?.tag ?? null
}

/** The filters that a message may match want one of these. */
function allWanted({ tag, mailbox, mailboxId }: PassingMessage): string[] {
  return [...(tag === null ? [] : [`+${tag}`]), mailbox, `#${mailboxId}`, ANYTHING]
}
