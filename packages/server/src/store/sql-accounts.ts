import { fold } from '../domain/fold.ts'
import type { Account, AccountStore, Invite, Role, Session, User } from './accounts.ts'
import { required, returning, type Database } from './database.ts'
import { sql, type Sql } from './sql.ts'
import type { Team } from './mailboxes.ts'

/** Per user. The least recently used sessions end. */
const SESSIONS_MAX = 100
/** SQLite requires a limit with an offset. */
const SESSIONS_CLEANED_MAX = 1_000

export function accountStore({ dialect, read, write, writeFor }: Database): AccountStore {
  async function findAccount(condition: Sql): Promise<Account | null> {
    const [row] = await read<Account>(sql`select ${USER}, u.password_hash as "passwordHash" from users u ${condition}`)
    return row ?? null
  }

  return {
    async addUser(user) {
      const [added] = await write(sql`
        insert into users (id, email, email_folded, name, password_hash, email_checked_at, team_id, role, joined_at,
                           created_at, updated_at)
        values (${user.id}, ${user.email}, ${fold(user.email)}, ${user.name}, ${user.passwordHash},
                ${user.emailCheckedAt}, ${user.teamId}, ${user.role}, ${user.teamId && user.createdAt},
                ${user.createdAt}, ${user.createdAt})
        on conflict do nothing`)
      return added === 1 ? 'added' : 'taken'
    },

    findUser: (where) =>
      findAccount('id' in where ? sql`where u.id = ${where.id}` : sql`where u.email_folded = ${fold(where.email)}`),

    listUsers: () => read<User>(sql`select ${USER} from users u order by u.created_at, u.id`),

    async removeUser({ id, teamId }) {
      // Only while the user is still in the team whose lock is held.
      const remove = sql`
        delete from users
        where id = ${id} and team_id is not distinct from ${teamId}
          and (role is null or role = 'member'
               or exists (select 1 from users o where o.team_id = ${teamId} and o.role = 'owner' and o.id <> ${id}))`
      const statements = [
        required(remove),
        returning<{ id: string }>(sql`delete from api_keys where created_by = ${id} returning id`),
      ] as const
      const [removed, keys = []] = await (teamId === null ? write(...statements) : writeFor(teamId, ...statements))
      if (removed === 1) return keys.map((key) => key.id)
      const found = await read(sql`select 1 from users where id = ${id} and team_id is not distinct from ${teamId}`)
      return found.length > 0 ? 'last owner' : 'gone'
    },

    async renameUser(id, { name, at }) {
      await write(sql`update users set name = ${name}, updated_at = ${at} where id = ${id}`)
    },

    async setPassword(userId, { passwordHash, replaces, at, keepSessionId }) {
      const isStill = replaces === undefined ? sql`` : sql`and password_hash is not distinct from ${replaces}`
      const set = sql`
        update users set password_hash = ${passwordHash}, updated_at = ${at} where id = ${userId} ${isStill}`
      const [isSet] = await write(required(set), ...endSessions(userId, keepSessionId))
      return isSet === 1
    },

    async claimAccount({ id, teamId }, { passwordHash, keepsTeam, at }) {
      const isUnchecked = sql`id = ${id} and email_checked_at is null`
      const leaves = keepsTeam ? sql`false` : sql`(email_checked_at is null and role = 'owner')`
      const unless = (value: Sql) => sql`case when ${leaves} then null else ${value} end`
      // Locked, so that concurrent claims do not undo each other.
      const lock = returning<object>(sql`
        select 1 from users where ${passwordHash === null ? isUnchecked : sql`id = ${id}`} ${dialect.locked}`)
      const statements = [
        required(lock),
        returning<{ id: string }>(sql`
          delete from api_keys
          where created_by = ${id} and exists (select 1 from users where ${isUnchecked})
          returning id`),
        sql`
        update users
        set password_hash = ${passwordHash}, email_checked_at = coalesce(email_checked_at, ${at}), updated_at = ${at},
            team_id = ${unless(sql`team_id`)}, role = ${unless(sql`role`)}, joined_at = ${unless(sql`joined_at`)}
        where id = ${id}`,
        ...endSessions(id),
      ] as const
      // With the team's lock: a key that is being created is either created before and deleted, or finds no creator.
      const [, keys = []] = await (teamId === null ? write(...statements) : writeFor(teamId, ...statements))
      return keys.map((key) => key.id)
    },

    async addSession({ id, hash, userId, createdAt, lastSeenAt, expiresAt, userAgent, address, passwordHash }) {
      const isStill = passwordHash === undefined ? sql`` : sql`and password_hash is not distinct from ${passwordHash}`
      // Locks the user's row, so that a concurrent password change waits and ends this session too.
      const [added] = await write(
        sql`
        insert into sessions (id, hash, user_id, created_at, last_seen_at, expires_at, user_agent, address)
        select ${id}, ${hash}, id, ${createdAt}, ${lastSeenAt}, ${expiresAt}, ${userAgent}, ${address}
        from users
        where id = ${userId} ${isStill}
        ${dialect.locked}`,
        sql`delete from sessions where expires_at <= ${createdAt}`,
        sql`
        delete from sessions
        where id in (select id from sessions
                     where user_id = ${userId}
                     order by last_seen_at desc, id desc
                     limit ${SESSIONS_CLEANED_MAX} offset ${SESSIONS_MAX})`,
      )
      return added === 1
    },

    async findSession(hash, now) {
      const [row] = await read<SignedInRow>(sql`
        select s.id as "sessionId", s.last_seen_at as "lastSeenAt", ${USER}, t.name as "teamName", t.plan,
               t.retention_days as "retentionDays", t.domain
        from sessions s join users u on u.id = s.user_id left join teams t on t.id = u.team_id
        where s.hash = ${hash} and s.expires_at > ${now}`)
      return row ? readSignedIn(row) : null
    },

    async recordSessionUse(id, { lastSeenAt, expiresAt }) {
      await write(sql`update sessions set last_seen_at = ${lastSeenAt}, expires_at = ${expiresAt} where id = ${id}`)
    },

    listSessions: (userId, now) =>
      read<Session>(sql`
        select id, user_id as "userId", created_at as "createdAt", last_seen_at as "lastSeenAt",
               expires_at as "expiresAt", user_agent as "userAgent", address
        from sessions
        where user_id = ${userId} and expires_at > ${now}
        order by last_seen_at desc, id desc`),

    async removeSession({ id, userId }) {
      const [removed] = await write(sql`delete from sessions where id = ${id} and user_id = ${userId}`)
      return removed === 1
    },

    async removeSessions(userId) {
      await write(sql`delete from sessions where user_id = ${userId}`)
    },

    async addToken({ hash, userId, purpose, expiresAt, createdAt }) {
      await write(
        sql`delete from one_time_tokens where expires_at <= ${createdAt}`,
        sql`
        insert into one_time_tokens (hash, user_id, purpose, expires_at, created_at)
        values (${hash}, ${userId}, ${purpose}, ${expiresAt}, ${createdAt})`,
      )
    },

    async findToken(hash, purpose, now) {
      const [found] = await read<{ userId: string }>(sql`
        select user_id as "userId" from one_time_tokens
        where hash = ${hash} and purpose = ${purpose} and expires_at > ${now}`)
      return found?.userId ?? null
    },

    async takeToken(hash, purpose, now) {
      const [[taken]] = await write(
        returning<{ userId: string }>(sql`
          delete from one_time_tokens
          where hash = ${hash} and purpose = ${purpose} and expires_at > ${now}
          returning user_id as "userId"`),
      )
      return taken?.userId ?? null
    },

    findIdentity: ({ issuer, subject }) =>
      findAccount(sql`join identities i on i.user_id = u.id where i.issuer = ${issuer} and i.subject = ${subject}`),

    async addIdentity({ id, issuer, subject, userId }) {
      const [added] = await write(sql`
        insert into identities (id, issuer, subject, user_id)
        values (${id}, ${issuer}, ${subject}, ${userId})
        on conflict do nothing`)
      return added === 1
    },

    async findInvite(id, now) {
      const [row] = await read<Invite>(sql`
        select id, team_id as "teamId", email, invited_by as "invitedBy", created_at as "createdAt",
               expires_at as "expiresAt"
        from invites
        where id = ${id} and expires_at > ${now}`)
      return row ?? null
    },

    async hasInvite(email, now) {
      const found = await read(sql`
        select 1 from invites where email_folded = ${fold(email)} and expires_at > ${now} limit 1`)
      return found.length > 0
    },
  }
}

/** Also invalidates links that could start a session. */
function endSessions(userId: string, keepSessionId: string | null = null): Sql[] {
  return [
    sql`delete from sessions where user_id = ${userId} and id <> ${keepSessionId ?? ''}`,
    sql`delete from one_time_tokens where user_id = ${userId}`,
  ]
}

const USER = sql`
  u.id, u.email, u.name, u.email_checked_at as "emailCheckedAt", u.team_id as "teamId", u.role,
  u.joined_at as "joinedAt", u.created_at as "createdAt"`

type SignedInRow = User & {
  sessionId: string
  lastSeenAt: number
  teamName: string
  plan: Team['plan']
  retentionDays: number | null
  domain: string | null
  role: Role | null
}

function readSignedIn({ sessionId, lastSeenAt, teamId, teamName, plan, retentionDays, domain, ...user }: SignedInRow) {
  const { id, email, name, createdAt, emailCheckedAt, role } = user
  return {
    signedIn: {
      sessionId,
      user: { id, email, name, createdAt, isEmailChecked: emailCheckedAt !== null },
      team: teamId === null ? null : { id: teamId, name: teamName, plan, retentionDays, domain },
      role,
    },
    lastSeenAt,
  }
}
