import { randomInt, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Mailhatch, type Announcement } from '@mailhatch/sdk'
import pg from 'pg'
import { WEBHOOK_SECRET } from '../product.ts'
import type { MadeTeam } from './citus-teams.ts'

const WRITERS = 8
/** One mail in so many is waited for. */
const WAITED_ONE_IN = 4
/** Teams that are followed by a stream. */
const STREAMS = 20
/** Longer than a worker is down and a piece is locked together. */
const WAIT_MS_MAX = 60_000
const RETRY_MS = 100
const ANSWER_MS_MAX = 12_000
const PAUSE_MS = 20

export type MailReport = {
  acknowledged: number
  /** Not stored for the team of the address. */
  lost: number
  /** Stored more than once, for any team. */
  doubled: number
  /** Teams whose positions or count do not fit their messages. */
  miscountedTeams: number
  waits: number
  failedWaits: string[]
  streams: number
  missedInStreams: number
  doubledInStreams: number
  failedStreams: string[]
  /** Other answers to announcements, which were repeated, by status. */
  refusals: Record<string, number>
  longestSilenceMs: number
}

/** Announces mail to both replicas as workers do, waits for some of it and follows some teams, until `disruption` is over. */
export async function mailDuring(
  { urls, teams, databaseUrl }: { urls: string[]; teams: MadeTeam[]; databaseUrl: string },
  disruption: Promise<unknown>,
): Promise<MailReport> {
  const acknowledged: { id: string; team: MadeTeam }[] = []
  const refusals: Record<string, number> = {}
  const failedWaits: string[] = []
  let waits = 0
  let isOver = false
  let lastAt = performance.now()
  let longestSilenceMs = 0
  const client = (team: MadeTeam, url: string) => new Mailhatch({ url, apiKey: team.key })

  async function insist(url: string, announced: Announcement): Promise<void> {
    for (;;) {
      const status = await announce(url, announced)
      if (status === '200') return
      refusals[status] = (refusals[status] ?? 0) + 1
      await delay(RETRY_MS)
    }
  }

  async function wait(team: MadeTeam, url: string, tag: string): Promise<void> {
    waits++
    const found = client(team, url).messages.waitFor({ mailbox: 'qa', tag }, { timeout: WAIT_MS_MAX })
    await found.catch((error: unknown) => failedWaits.push(String(error)))
  }

  async function write(): Promise<void> {
    while (!isOver) {
      const team = teams[randomInt(teams.length)]!
      const id = randomUUID()
      const tag = `t-${id.slice(0, 13)}`
      const at = randomInt(urls.length)
      const waiting = randomInt(WAITED_ONE_IN) === 0 ? wait(team, urls[(at + 1) % urls.length]!, tag) : null
      await insist(urls[at]!, announcementFor(team, { id, tag }))
      acknowledged.push({ id, team })
      longestSilenceMs = Math.max(longestSilenceMs, performance.now() - lastAt)
      lastAt = performance.now()
      await waiting
      await delay(PAUSE_MS)
    }
  }

  const followed = teams.slice(0, STREAMS).map((team, index) => follow(client(team, urls[index % urls.length]!), team))
  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  await disruption.finally(() => {
    isOver = true
  })
  await writing
  const streams = await Promise.all(
    followed.map((stream) => stream.end(acknowledged.filter(({ team }) => team === stream.team).map(({ id }) => id))),
  )
  const sum = (of: (one: (typeof streams)[number]) => number) => streams.reduce((total, one) => total + of(one), 0)
  const stored = await readStored(databaseUrl)
  const teamsOf = ({ id }: { id: string }) => stored.teamIds.get(id) ?? []
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter((mail) => !teamsOf(mail).includes(mail.team.mailbox.teamId)).length,
    doubled: acknowledged.filter((mail) => teamsOf(mail).length > 1).length,
    miscountedTeams: stored.miscountedTeams,
    waits,
    failedWaits,
    streams: streams.length,
    missedInStreams: sum(({ missed }) => missed),
    doubledInStreams: sum(({ doubled }) => doubled),
    failedStreams: streams.flatMap(({ failure }) => failure ?? []),
    refusals,
    longestSilenceMs,
  }
}

/** The status of the response, or the name of the failure. */
async function announce(url: string, announced: Announcement): Promise<string> {
  try {
    const response = await fetch(`${url}/webhooks/inbox`, {
      method: 'POST',
      headers: { authorization: `Bearer ${WEBHOOK_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(announced),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    await response.text()
    return String(response.status)
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown'
  }
}

function announcementFor({ domain }: MadeTeam, { id, tag }: { id: string; tag: string }): Announcement {
  return {
    event: 'email.received',
    id,
    domain,
    tenantSubdomain: null,
    mailbox: 'qa',
    mailboxWithTag: `qa+${tag}`,
    tag,
    from: 'sender@shop.example',
    to: `qa+${tag}@${domain}`,
    subject: 'Your code',
    receivedAt: new Date().toISOString(),
    headers: [],
    rawContent: '<p>Your code is 123456</p>',
    plainContent: 'Your code is 123456',
  }
}

/** Follows a team from its first message. `end` resolves when all of these were seen, or when the time is over. */
function follow(client: Mailhatch, team: MadeTeam) {
  const seen: string[] = []
  const controller = new AbortController()
  let failure: string | null = null
  const following = (async () => {
    try {
      for await (const { id } of client.messages.stream({ after: 'c0' }, { signal: controller.signal })) seen.push(id)
    } catch (error) {
      if (!controller.signal.aborted) failure = String(error)
    }
  })()
  return {
    team,
    async end(wanted: string[]) {
      const deadline = performance.now() + WAIT_MS_MAX
      const missing = () => wanted.filter((id) => !seen.includes(id)).length
      while (missing() > 0 && failure === null && performance.now() < deadline) await delay(RETRY_MS)
      controller.abort()
      await following
      return { missed: missing(), doubled: seen.length - new Set(seen).size, failure }
    },
  }
}

/** `teamIds` has the teams of each stored message, by its id. */
async function readStored(url: string): Promise<{ teamIds: Map<string, string[]>; miscountedTeams: number }> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ id: string; teamIds: string[] }>(
    'select id, array_agg(team_id) as "teamIds" from messages group by id',
  )
  const { rows: miscounted } = await client.query(`
    select s.team_id from team_state s
    join (select team_id, count(*) as stored, max(position) as newest from messages group by team_id) m using (team_id)
    where s.message_count <> m.stored or s.last_position <> m.newest or m.newest <> m.stored`)
  await client.end()
  return { teamIds: new Map(rows.map(({ id, teamIds }) => [id, teamIds])), miscountedTeams: miscounted.length }
}
