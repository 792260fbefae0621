import { fold } from '../domain/fold.ts'
import { RESERVED_NAMES } from '../domain/reserved-names.ts'
import { required, returning, type Database } from './database.ts'
import { HIDDEN_ENDPOINT } from './sql-endpoints.ts'
import { findClaim, releaseNames, rememberDomainOf, takeDomain } from './sql-names.ts'
import { addTeamState } from './sql-team.ts'
import { sql, type Sql } from './sql.ts'
import type { Member, PendingDomain, ShownInvite, TeamStore } from './teams.ts'

type MembershipStore = Omit<
  TeamStore,
  | 'usageOf'
  | 'countReceived'
  | 'countDeliveries'
  | 'countedMessages'
  | `${string}Billing${string}`
  | 'findTeamOfCustomer'
>

export function teamStore(database: Database): MembershipStore {
  const { dialect, read, write, writeFor } = database

  async function first<Row>(query: Sql): Promise<Row | null> {
    const [row] = await read<Row>(query)
    return row ?? null
  }

  async function exists(query: Sql): Promise<boolean> {
    return (await first(query)) !== null
  }

  return {
    async addTeamFor(userId, { id, name, plan, retentionDays, domain, createdAt }) {
      // Locks the user, so that of two concurrent requests the second one finds the first one's team.
      const lock = sql`update users set updated_at = ${createdAt} where id = ${userId} and team_id is null`
      const [locked] = await write(
        required(lock),
        sql`
        insert into teams (id, name, plan, retention_days, domain, created_at)
        values (${id}, ${name}, ${plan}, ${retentionDays}, ${domain}, ${createdAt})`,
        addTeamState(id),
        ...(domain === null ? [] : takeDomain(id, domain, createdAt)),
        sql`update users set team_id = ${id}, role = 'owner', joined_at = ${createdAt} where id = ${userId}`,
      )
      return locked === 1 ? 'added' : 'has team'
    },

    async renameTeam(id, name) {
      await write(sql`update teams set name = ${name} where id = ${id}`)
    },

    async closeTeam(id, at) {
      const [, , members, keys] = await writeFor(
        id,
        rememberDomainOf(id, at),
        sql`
        update teams set domain = null, pending_domain = null, domain_token = null, billing_customer = null
        where id = ${id}`,
        sql`
        update users set team_id = null, role = null, joined_at = null, updated_at = ${at}
        where team_id = ${id}`,
        sql`delete from api_keys where team_id = ${id}`,
        sql`delete from invites where team_id = ${id}`,
        sql`delete from caught_domains where team_id = ${id}`,
        sql`update webhook_endpoints set ${HIDDEN_ENDPOINT}, removed_at = ${at} where team_id = ${id} and removed_at is null`,
      )
      return { members, keys }
    },

    async dropTeam(id) {
      const isEmpty = returning<object>(sql`
        select 1 from team_state
        where team_id = ${id}
        and not exists (select 1 from mailboxes where team_id = ${id})
        and not exists (select 1 from webhook_endpoints where team_id = ${id})
        and not exists (select 1 from users where team_id = ${id})
        and not exists (select 1 from api_keys where team_id = ${id})`)
      const [, , , , , , dropped = 0] = await writeFor(
        id,
        required(isEmpty),
        sql`delete from rejections where team_id = ${id}`,
        sql`delete from index_blocks where team_id = ${id}`,
        sql`delete from outboxes where team_id = ${id}`,
        sql`delete from scenarios where team_id = ${id}`,
        sql`delete from smtp_attempts where team_id = ${id}`,
        sql`delete from team_state where team_id = ${id}`,
        sql`delete from teams where id = ${id}`,
      )
      return dropped === 1
    },

    listMembers: (teamId) =>
      read<Member>(sql`
        select id, email, name, role, joined_at as "joinedAt"
        from users
        where team_id = ${teamId}
        order by joined_at, id`),

    async removeMember({ teamId, userId }, at) {
      const leave = sql`
        update users set team_id = null, role = null, joined_at = null, updated_at = ${at}
        where id = ${userId} and team_id = ${teamId}
          and (role = 'member'
               or exists (select 1 from users o where o.team_id = ${teamId} and o.role = 'owner' and o.id <> ${userId}))`
      const [left, keys = []] = await writeFor(
        teamId,
        required(leave),
        returning<{ id: string }>(
          sql`delete from api_keys where team_id = ${teamId} and created_by = ${userId} returning id`,
        ),
      )
      if (left === 1) return keys.map(({ id }) => id)
      const isMember = await exists(sql`select 1 from users where id = ${userId} and team_id = ${teamId}`)
      return isMember ? 'last owner' : 'gone'
    },

    async addInvite({ id, teamId, email, invitedBy, createdAt, expiresAt }, { membersMax, invitesMax }) {
      const folded = fold(email)
      const isMember = sql`select 1 from users where team_id = ${teamId} and email_folded = ${folded}`
      const add = sql`
        insert into invites (id, team_id, email, email_folded, invited_by, created_at, expires_at)
        select ${id}, ${teamId}, ${email}, ${folded}, ${invitedBy}, ${createdAt}, ${expiresAt}
        where not exists (${isMember}) and ${hasSeat(teamId, membersMax)}
          and ${invitesMax} > (select count(*) from invites
                               where team_id = ${teamId} and email_folded <> ${folded})`
      const [, added] = await writeFor(
        teamId,
        sql`delete from invites where team_id = ${teamId} and expires_at <= ${createdAt}`,
        required(add),
        sql`delete from invites where team_id = ${teamId} and email_folded = ${folded} and id <> ${id}`,
      )
      if (added === 1) return 'added'
      if (await exists(isMember)) return 'member'
      return (await exists(sql`select 1 where ${hasSeat(teamId, membersMax)}`)) ? 'too many' : 'limit'
    },

    listInvites: (where, now) =>
      read<ShownInvite>(sql`
        select ${SHOWN_INVITE}
        where ${'teamId' in where ? sql`i.team_id = ${where.teamId}` : sql`i.email_folded = ${fold(where.email)}`}
          and i.expires_at > ${now}
        order by i.created_at desc, i.id desc`),

    findShownInvite: ({ id, email }) =>
      first<ShownInvite>(sql`select ${SHOWN_INVITE} where i.id = ${id} and i.email_folded = ${fold(email)}`),

    async removeInvite({ id, ...whose }) {
      const [removed] = await write(sql`
        delete from invites
        where id = ${id}
          and ${'teamId' in whose ? sql`team_id = ${whose.teamId}` : sql`email_folded = ${fold(whose.email)}`}`)
      return removed === 1
    },

    async acceptInvite({ id, teamId, email }, { userId, membersMax, at }) {
      const folded = fold(email)
      const isOpen = sql`
        select 1 from invites
        where id = ${id} and team_id = ${teamId} and email_folded = ${folded} and expires_at > ${at}`
      const join = sql`
        update users set team_id = ${teamId}, role = 'member', joined_at = ${at}, updated_at = ${at}
        where id = ${userId} and team_id is null and exists (${isOpen}) and ${hasSeat(teamId, membersMax)}`
      const [joined] = await writeFor(
        teamId,
        required(join),
        sql`delete from invites where team_id = ${teamId} and email_folded = ${folded}`,
      )
      if (joined === 1) return 'joined'
      if (!(await exists(sql`select 1 from users where id = ${userId} and team_id is null`))) return 'has team'
      return (await exists(isOpen)) ? 'limit' : 'gone'
    },

    findPendingDomain: (teamId) =>
      first<PendingDomain>(sql`
        select pending_domain as domain, domain_token as token from teams
        where id = ${teamId} and pending_domain is not null`),

    async setPendingDomain(teamId, pending) {
      await write(sql`
        update teams set pending_domain = ${pending && pending.domain}, domain_token = ${pending && pending.token}
        where id = ${teamId}`)
    },

    async moveToDomain(teamId, { domain, isCustom, at }) {
      const isDomainTaken = sql`select 1 from teams where domain = ${domain} and id <> ${teamId}`
      // Caught mailboxes stay where they are.
      const follows = sql`
        team_id = ${teamId} and removed_at is null and domain <> ${domain} and is_caught = 0
        and (exists (select 1 from root_names r
                     where r.domain = mailboxes.domain and r.name = mailboxes.name and r.mailbox_id = mailboxes.id)
             or exists (select 1 from teams o where o.id = ${teamId} and o.domain = mailboxes.domain))`
      const isMailboxTaken = sql`
        select 1 from mailboxes
        where ${follows} and ${isCustom ? sql`false` : sql`true`}
          and name in (select name from root_names where domain = ${domain} and team_id <> ${teamId})`
      // A team with its own domain may use any name. On a shared domain, reserved names stay reserved.
      const isMailboxReserved = sql`
        select 1 from mailboxes
        where ${follows} and ${isCustom ? sql`false` : sql`true`} and ${dialect.isAmong(sql`name`, Array.from(RESERVED_NAMES))}`
      const isAllowed = returning<object>(sql`
        select 1 from team_state
        where team_id = ${teamId}
          and not exists (${isDomainTaken}) and not exists (${isMailboxTaken}) and not exists (${isMailboxReserved})`)
      const holdNames = isCustom
        ? takeDomain(teamId, domain, at)
        : [
            sql`
              insert into root_names (domain, name, team_id, mailbox_id)
              select ${domain}, name, team_id, id from mailboxes where ${follows}`,
          ]

      /** Claims that no mailbox uses are not in the way. */
      async function releaseUnusedNames(): Promise<void> {
        const claimed = await read<{ name: string }>(sql`
          select name from mailboxes where ${follows} and name in (select name from root_names where domain = ${domain})`)
        for (const { name } of claimed) await findClaim(database, { domain, name })
      }

      async function findReason() {
        if (await exists(isDomainTaken)) return 'domain taken'
        if (await exists(isMailboxTaken)) return 'mailbox taken'
        return (await exists(isMailboxReserved)) ? 'mailbox reserved' : null
      }

      await releaseUnusedNames()
      try {
        const [allowed] = await writeFor(
          teamId,
          required(isAllowed),
          ...holdNames,
          sql`
            update mailboxes set domain = ${domain}, updated_at = ${at}
            where ${follows}`,
          ...releaseNames(sql`team_id = ${teamId} and domain <> ${domain}`, at),
          rememberDomainOf(teamId, at),
          sql`
            update teams set domain = ${isCustom ? domain : null}, pending_domain = null, domain_token = null
            where id = ${teamId}`,
        )
        if (allowed.length === 1) return 'moved'
      } catch (error) {
        // A concurrent change of another team, detected only by the database.
        const reason = await findReason()
        if (reason === null) throw error
        return reason
      }
      // The conflict may be gone by now, but it existed when the move failed.
      return (await findReason()) ?? 'mailbox taken'
    },
  }
}

/** Needs the team's lock. */
function hasSeat(teamId: string, membersMax: number | null): Sql {
  if (membersMax === null) return sql`true`
  return sql`${membersMax} > (select count(*) from users where team_id = ${teamId})`
}

const SHOWN_INVITE = sql`
  i.id, i.team_id as "teamId", i.email, i.invited_by as "invitedBy", i.created_at as "createdAt",
  i.expires_at as "expiresAt", t.name as "teamName", u.name as "invitedByName", u.email as "invitedByEmail"
  from invites i join teams t on t.id = i.team_id join users u on u.id = i.invited_by`
