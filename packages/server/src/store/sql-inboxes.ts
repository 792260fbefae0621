import type { Database } from './database.ts'
import { countEndpoints } from './sql-endpoints.ts'
import { MAILBOX_DOMAIN } from './sql-mailbox-names.ts'
import { rememberHolder } from './sql-names.ts'
import { sql, type Sql } from './sql.ts'
import type { Inbox, Mailbox, MailboxStore } from './mailboxes.ts'

type Address = { domain: string; mailbox: string }

type InboxStore = Pick<
  MailboxStore,
  | 'findInbox'
  | 'findInboxes'
  | 'findRootInbox'
  | 'findCaughtInbox'
  | 'formerHolders'
  | 'rememberCatch'
  | 'forgetHolders'
>

/** How old the memory of a caught address may get before it is written again: far less than it is kept. */
const REMEMBERED_AGAIN_MS = 86_400_000
const LAST_TEAMS_MAX = 1_000

/** Where mail for an address goes: tables of all teams decide on the team, and the team's own on the mailbox. */
export function inboxStore({ dialect, lookup, write }: Database): InboxStore {
  async function first<Row>(query: Sql): Promise<Row | null> {
    return (await lookup<Row>(query))[0] ?? null
  }

  /** The mailbox, if there is one, and whether the team has endpoints: one query of the team. */
  async function findIn(teamId: string, which: Sql): Promise<{ mailbox: Mailbox | null; hasEndpoints: boolean }> {
    const row = await first<MailboxRow>(sql`select ${INBOX} ${fromInbox(teamId, which)}`)
    return row ? readInbox(teamId, row) : { mailbox: null, hasEndpoints: false }
  }

  /** Null if the team does not have the domain. The `exists` names `s.team_id`, because Citus refuses a value beside the outer join. */
  async function findOfTeam(teamId: string, { domain, mailbox: name }: Address): Promise<Inbox | null> {
    const row = await first<MailboxRow & { former: number }>(sql`
      select ${INBOX}, ${countFormer(sql`s.team_id`, { domain, name })} as former
      ${fromInbox(teamId, sql`b.name = ${name}`)}
        and exists (select 1 from teams where id = s.team_id and domain = ${domain})`)
    if (!row) return null
    const { former, ...inbox } = row
    return { teamId, ...readInbox(teamId, inbox), hasFormerHolder: former > 0 }
  }

  /** The teams that had the domains when they were last asked for. */
  const lastTeams = new Map<string, string>()

  return {
    async findInbox(address) {
      const { domain } = address
      const lastId = lastTeams.get(domain)
      const expected = lastId === undefined ? null : await findOfTeam(lastId, address)
      if (expected) return expected
      const team = await first<{ id: string }>(sql`select t.id from teams t where t.domain = ${domain}`)
      if (!team) {
        lastTeams.delete(domain)
        return null
      }
      lastTeams.set(domain, team.id)
      if (lastTeams.size > LAST_TEAMS_MAX) lastTeams.delete(lastTeams.keys().next().value!)
      const found = await findOfTeam(team.id, address)
      // The domain has changed hands since. The store notices when it adds the message.
      return found ?? { teamId: team.id, mailbox: null, hasEndpoints: false, hasFormerHolder: true }
    },

    async findInboxes({ domain, mailboxes: names }) {
      const team = await first<{ id: string }>(sql`select t.id from teams t where t.domain = ${domain}`)
      if (!team) return null
      const found = await lookup<{ id: string; name: string }>(sql`
        select b.id, b.name from mailboxes b
        where b.team_id = ${team.id} and ${dialect.isAmong(sql`b.name`, names)} and b.removed_at is null`)
      return { teamId: team.id, mailboxIds: new Map(found.map(({ id, name }) => [name, id])) }
    },

    async findRootInbox({ domain, mailbox: name }) {
      const claim = await first<{ teamId: string; mailboxId: string; former: number }>(sql`
        select r.team_id as "teamId", r.mailbox_id as "mailboxId", ${countFormer(sql`r.team_id`, { domain, name })} as former
        from root_names r
        where r.domain = ${domain} and r.name = ${name}`)
      if (!claim) return null
      const { mailbox, hasEndpoints } = await findIn(claim.teamId, sql`b.id = ${claim.mailboxId} and b.name = ${name}`)
      return mailbox && { mailbox, hasEndpoints, hasFormerHolder: claim.former > 0 }
    },

    async findCaughtInbox({ teamId, domain, mailbox: name, at }) {
      const row = await first<MailboxRow & { former: number; remembered: number }>(sql`
        select ${INBOX}, ${countFormer(sql`s.team_id`, { domain, name })} as former,
               (select count(*) from former_holders f
                where f.domain = ${domain} and f.name = ${name} and f.team_id = s.team_id
                  and f.left_at > ${at - REMEMBERED_AGAIN_MS}) as remembered
        ${fromInbox(teamId, sql`b.name = ${name}`)}`)
      if (!row) return null
      const { former, remembered, ...inbox } = row
      return { ...readInbox(teamId, inbox), hasFormerHolder: former > 0, isRemembered: remembered > 0 }
    },

    async formerHolders({ domain, mailbox: name }) {
      const rows = await lookup<{ teamId: string }>(sql`
        select distinct team_id as "teamId" from former_holders
        where domain = ${domain} and (name = '' or name = ${name})`)
      return rows.map(({ teamId }) => teamId)
    },

    async rememberCatch({ domain, mailbox: name, teamId }, at) {
      await write(rememberHolder({ domain, name, teamId }, at))
    },

    async forgetHolders(before) {
      await write(sql`delete from former_holders where left_at < ${before}`)
    },
  }
}

/** A mailbox `b`, if there is one, and the endpoints of its team `s`. */
const INBOX = sql`
  b.id, b.name, ${MAILBOX_DOMAIN} as domain, b.created_at as "createdAt", b.updated_at as "updatedAt",
  ${countEndpoints(sql`s.team_id`)}`

function fromInbox(teamId: string, which: Sql): Sql {
  return sql`
    from team_state s left join mailboxes b on b.team_id = s.team_id and ${which} and b.removed_at is null
    where s.team_id = ${teamId}`
}

function readInbox(teamId: string, { id, endpointCount, ...mailbox }: MailboxRow) {
  return { mailbox: id === null ? null : { ...mailbox, id, teamId }, hasEndpoints: endpointCount > 0 }
}

/** Other teams that had the address. */
function countFormer(teamId: Sql, { domain, name }: { domain: string; name: string }): Sql {
  return sql`
    (select count(*) from former_holders f
     where f.domain = ${domain} and (f.name = '' or f.name = ${name}) and f.team_id <> ${teamId})`
}

type MailboxRow = Omit<Mailbox, 'id' | 'teamId' | 'isCaught'> & { id: string | null; endpointCount: number }
