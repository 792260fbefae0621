import { needsContent } from '../domain/match.ts'
import { required, type Database } from './database.ts'
import { BODY_FOLDED, isFoundByTag, searchFor, type Search } from './message-query.ts'
import { sql, type Sql } from './sql.ts'
import type {
  Anchor,
  ApiKey,
  Mailbox,
  NewKey,
  NewMessage,
  PassingMessage,
  Store,
  StoredMessage,
  StoredSummary,
  Team,
  View,
} from './store.ts'

/** The store, written once in SQL that all our databases understand. */
export function createSqlStore(database: Database): Store {
  const { dialect, read, write } = database

  async function first<Row>(query: Sql): Promise<Row | null> {
    return (await read<Row>(query))[0] ?? null
  }

  async function selectSummaries(view: View, { where }: Search, rest: Sql): Promise<StoredSummary[]> {
    return read(sql`select ${SUMMARY} from ${fromMessages(view)} where ${where} ${rest}`)
  }

  async function selectMessage({ where }: Search, rest: Sql): Promise<StoredMessage | null> {
    const row = await first<MessageRow>(
      sql`select ${SUMMARY}, ${CONTENT} from ${MESSAGES_WITH_CONTENT} where ${where} ${rest}`,
    )
    return row && readMessage(row)
  }

  async function selectPassing(withContent: boolean, rest: Sql): Promise<PassingMessage[]> {
    const content = withContent
      ? sql`${BODY_FOLDED} as "bodyFolded", c.headers`
      : sql`'' as "bodyFolded", '[]' as headers`
    const rows = await read<PassingMessage & { headers: string }>(sql`
      select ${SUMMARY}, m.domain, m.subject_folded as "subjectFolded", m.sender_folded as "fromFolded",
             m.recipient_folded as "toFolded", m.mailbox_with_tag_folded as "mailboxWithTagFolded", ${content}
      from ${withContent ? MESSAGES_WITH_CONTENT : MESSAGES} ${rest}`)
    return rows.map((row) => ({ ...row, headers: JSON.parse(row.headers) }))
  }

  return {
    async addTeam(team, firstKey) {
      const addTeam = sql`
        insert into teams (id, name, plan, retention_days, domain, is_bootstrap, created_at)
        values (${team.id}, ${team.name}, ${team.plan}, ${team.retentionDays}, ${team.domain},
                ${team.isBootstrap ? 1 : 0}, ${team.createdAt})
        on conflict do nothing`
      const [added] = await write(required(addTeam), ...(firstKey ? [insertKey(firstKey)] : []))
      return added === 1 ? 'added' : 'taken'
    },

    listTeams: () => read<Team>(sql`select ${TEAM} from teams t order by t.created_at, t.id`),

    findTeam: (id) => first<Team>(sql`select ${TEAM} from teams t where t.id = ${id}`),

    findBootstrapTeam: () => first<Team>(sql`select ${TEAM} from teams t where t.is_bootstrap = 1`),

    async findInbox({ domain, mailbox }) {
      const row = await first<InboxRow>(sql`
        select ${TEAM}, b.id as "mailboxId", b.name as "mailboxName", b.domain as "mailboxDomain",
               b.created_at as "createdAt", b.updated_at as "updatedAt"
        from teams t left join mailboxes b on b.team_id = t.id and b.name = ${mailbox}
        where t.domain = ${domain}`)
      return row && readInbox(row)
    },

    async addMailbox(mailbox) {
      const [added] = await write(sql`
        insert into mailboxes (id, team_id, name, domain, created_at, updated_at)
        values (${mailbox.id}, ${mailbox.teamId}, ${mailbox.name}, ${mailbox.domain},
                ${mailbox.createdAt}, ${mailbox.updatedAt})
        on conflict do nothing`)
      return added === 1 ? mailbox : 'taken'
    },

    findMailbox: ({ domain, name }) =>
      first<Mailbox>(sql`select ${MAILBOX_COLUMNS} from mailboxes where domain = ${domain} and name = ${name}`),

    findTeamMailbox: ({ teamId, name }) =>
      first<Mailbox>(sql`select ${MAILBOX_COLUMNS} from mailboxes where team_id = ${teamId} and name = ${name}`),

    async addKey(key) {
      await write(insertKey(key))
    },

    async listKeys(teamId) {
      const rows = await read<ApiKey & { scopes: string }>(sql`
        select k.id, k.team_id as "teamId", k.name, k.masked, k.scopes, k.mailbox_id as "mailboxId",
               b.name as "mailboxName", k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt",
               k.created_at as "createdAt"
        from api_keys k left join mailboxes b on b.id = k.mailbox_id
        ${teamId === null ? sql`` : sql`where k.team_id = ${teamId}`}
        order by k.created_at, k.id`)
      return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }))
    },

    async removeKey(id) {
      const [removed] = await write(sql`delete from api_keys where id = ${id}`)
      return removed === 1
    },

    async findPrincipal(keyHash) {
      const row = await first<PrincipalRow>(sql`
        select k.id as "keyId", k.name as "keyName", k.scopes, k.expires_at as "expiresAt",
               k.mailbox_id as "mailboxId", b.name as "mailboxName", ${TEAM_OF_KEY}
        from api_keys k join teams t on t.id = k.team_id left join mailboxes b on b.id = k.mailbox_id
        where k.hash = ${keyHash}`)
      return row && readPrincipal(row)
    },

    async recordKeyUse(uses) {
      await write(...Array.from(uses, ([id, at]) => sql`update api_keys set last_used_at = ${at} where id = ${id}`))
    },

    async addMessage(mailbox, message) {
      // The first statement's `returning`.
      const [[added]] = (await write(...insertMessage(mailbox, message))) as [{ position: number }[]]
      if (!added) return 'duplicate'
      database.indexSoon()
      return added.position
    },

    async latestMessage(view, after) {
      if (after === null) {
        const search = searchFor(dialect, view)
        return selectMessage(search, sql`${search.newestFirst} limit 1`)
      }
      const walk = isFoundByTag(view.filter) ? null : (await this.newestPosition(view.teamId)) - after
      const search = searchFor(dialect, view, walk)
      return selectMessage(search, sql`and m.position > ${after} ${search.newestFirst} limit 1`)
    },

    listMessages(view, { limit, before }) {
      const search = searchFor(dialect, view)
      const place = before ? sql`and (m.received_at, m.position) < (${before.receivedAt}, ${before.position})` : sql``
      return selectSummaries(view, search, sql`${place} ${search.newestFirst} limit ${limit + 1}`)
    },

    followMessages(view, { after, upTo, limit }) {
      const search = searchFor(dialect, view, upTo - after)
      const range = sql`and m.position > ${after} and m.position <= ${upTo}`
      return selectSummaries(view, search, sql`${range} order by m.position limit ${limit + 1}`)
    },

    findMessage: (view, id) => selectMessage(searchFor(dialect, view), sql`and m.id = ${id}`),

    async findAnchor(view, id) {
      return first<Anchor>(sql`
        select m.received_at as "receivedAt", m.position
        from ${fromMessages(view)}
        where ${searchFor(dialect, view).where} and m.id = ${id}`)
    },

    async newestPosition(teamId) {
      const row = await first<{ position: number }>(
        sql`select last_position as position from teams where id = ${teamId}`,
      )
      return row?.position ?? 0
    },

    async countMessages({ teamId, oldestReceivedAt, filter: { mailboxId } }) {
      const row = await first<{ count: number }>(
        mailboxId === undefined
          ? // The count of all is kept with the team; only what has expired and is not yet purged is counted.
            sql`select message_count - (select count(*) from messages
                                        where team_id = ${teamId} and received_at < ${oldestReceivedAt}) as count
                from teams where id = ${teamId}`
          : sql`select count(*) as count from messages
                where mailbox_id = ${mailboxId} and received_at >= ${oldestReceivedAt}`,
      )
      return row?.count ?? 0
    },

    passingMessages: (teamId, { after, limit, withContent }) =>
      selectPassing(
        withContent,
        sql`where m.team_id = ${teamId} and m.position > ${after} order by m.position limit ${limit}`,
      ),

    arrivals: (view, { after, limit }) =>
      selectPassing(
        true,
        sql`where ${searchFor(dialect, view).where} and m.position > ${after} order by m.position desc limit ${limit}`,
      ),

    version: () => database.version(),

    async check() {
      await read(sql`select id from teams limit 1`)
    },

    close: () => database.close(),
  }
}

function insertKey(key: NewKey): Sql {
  return sql`
    insert into api_keys (id, team_id, name, hash, masked, scopes, mailbox_id, expires_at, created_at)
    values (${key.id}, ${key.teamId}, ${key.name}, ${key.hash}, ${key.masked}, ${JSON.stringify(key.scopes)},
            ${key.mailboxId}, ${key.expiresAt}, ${key.createdAt})`
}

/** The team's row is locked by the first statement until the commit, so positions become visible in their order. */
function insertMessage(mailbox: Mailbox, message: NewMessage) {
  return [
    required(sql`
      insert into messages (team_id, position, id, mailbox_id, mailbox_with_tag, tag, domain, tenant_subdomain,
                            sender, sender_name, recipient, subject, received_at, stored_at, size, attachment_count,
                            subject_folded, sender_folded, recipient_folded, mailbox_with_tag_folded)
      values (${mailbox.teamId}, (select last_position + 1 from teams where id = ${mailbox.teamId}), ${message.id},
              ${mailbox.id}, ${message.mailboxWithTag}, ${message.tag}, ${message.domain}, ${message.tenantSubdomain},
              ${message.from}, ${message.fromName}, ${message.to}, ${message.subject}, ${message.receivedAt},
              ${message.storedAt}, ${message.size}, ${message.attachments.length}, ${message.subjectFolded},
              ${message.fromFolded}, ${message.toFolded}, ${message.mailboxWithTagFolded})
      on conflict (id) do nothing
      returning position`),
    sql`
      update teams set last_position = last_position + 1, message_count = message_count + 1
      where id = ${mailbox.teamId}`,
    sql`
      insert into message_contents (sequence, headers, html, text, body_folded, codes, links, attachments, envelope,
                                    parse)
      values ((select sequence from messages where id = ${message.id}), ${JSON.stringify(message.headers)},
              ${message.html}, ${message.text}, ${foldedUnlessAscii(message)}, ${JSON.stringify(message.codes)},
              ${JSON.stringify(message.links)}, ${JSON.stringify(message.attachments)},
              ${message.envelope && JSON.stringify(message.envelope)}, ${message.parse})`,
  ]
}

/** ASCII text needs no folded copy: both databases' `lower` folds it just so. */
function foldedUnlessAscii({ text, bodyFolded }: NewMessage): string | null {
  return text !== null && Buffer.byteLength(text) === text.length ? null : bodyFolded
}

const TEAM = sql`t.id, t.name, t.plan, t.retention_days as "retentionDays", t.domain`

const TEAM_OF_KEY = sql`
  t.id as "teamId", t.name as "teamName", t.plan, t.retention_days as "retentionDays", t.domain`

const MAILBOX_COLUMNS = sql`id, team_id as "teamId", name, domain, created_at as "createdAt", updated_at as "updatedAt"`

const SUMMARY = sql`
  m.position, m.id, m.mailbox_id as "mailboxId", b.name as mailbox, m.mailbox_with_tag as "mailboxWithTag", m.tag,
  m.sender as "from", m.sender_name as "fromName", m.recipient as "to", m.subject, m.received_at as "receivedAt",
  m.attachment_count as "attachmentCount", m.size`

const CONTENT = sql`
  m.domain, m.tenant_subdomain as "tenantSubdomain", m.stored_at as "storedAt", c.headers, c.html, c.text, c.codes,
  c.links, c.attachments, c.envelope, c.parse`

const MESSAGES = sql`messages m join mailboxes b on b.id = m.mailbox_id`
const MESSAGES_WITH_CONTENT = sql`${MESSAGES} join message_contents c on c.sequence = m.sequence`

function fromMessages({ filter }: View): Sql {
  return needsContent(filter) ? MESSAGES_WITH_CONTENT : MESSAGES
}

type JsonColumn = 'headers' | 'codes' | 'links' | 'attachments'
type MessageRow = Omit<StoredMessage, JsonColumn | 'envelope'> &
  Record<JsonColumn, string> & { envelope: string | null }

function readMessage(row: MessageRow): StoredMessage {
  return {
    ...row,
    headers: JSON.parse(row.headers),
    codes: JSON.parse(row.codes),
    links: JSON.parse(row.links),
    attachments: JSON.parse(row.attachments),
    envelope: row.envelope === null ? null : JSON.parse(row.envelope),
  }
}

type InboxRow = Team & {
  mailboxId: string | null
  mailboxName: string
  mailboxDomain: string
  createdAt: number
  updatedAt: number
}

function readInbox(row: InboxRow): { team: Team; mailbox: Mailbox | null } {
  const { mailboxId: id, mailboxName: name, mailboxDomain: domain, createdAt, updatedAt, ...team } = row
  return { team, mailbox: id === null ? null : { id, teamId: team.id, name, domain, createdAt, updatedAt } }
}

type PrincipalRow = {
  keyId: string
  keyName: string
  scopes: string
  expiresAt: number | null
  mailboxId: string | null
  mailboxName: string | null
  teamId: string
  teamName: string
  plan: Team['plan']
  retentionDays: number | null
  domain: string | null
}

function readPrincipal(row: PrincipalRow) {
  return {
    keyId: row.keyId,
    keyName: row.keyName,
    scopes: JSON.parse(row.scopes),
    expiresAt: row.expiresAt,
    team: {
      id: row.teamId,
      name: row.teamName,
      plan: row.plan,
      retentionDays: row.retentionDays,
      domain: row.domain,
    },
    mailbox: row.mailboxId === null ? null : { id: row.mailboxId, name: row.mailboxName },
  }
}
