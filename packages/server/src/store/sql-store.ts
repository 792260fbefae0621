import { lastIdOfMail, mailIdOf } from '../domain/mail-copies.ts'
import { required, type Database } from './database.ts'
import { BODY_FOLDED, checksEach, queryFor, readsContent, searchFor, type Wanted } from './message-query.ts'
import { searchMarked } from './marked-search.ts'
import { findAmongNewest, WALK_LIMITS, walkMessages, type WalkLimits } from './message-walk.ts'
import { accountStore } from './sql-accounts.ts'
import { attemptStore } from './sql-attempts.ts'
import { billingStore } from './sql-billing.ts'
import { caughtDomainStore } from './sql-caught-domains.ts'
import { insertKey, keyStore } from './sql-keys.ts'
import { deliveryStore } from './sql-deliveries.ts'
import { endpointStore } from './sql-endpoints.ts'
import { inboxStore } from './sql-inboxes.ts'
import { intakeStore } from './sql-intake.ts'
import { mailboxStore } from './sql-mailboxes.ts'
import { takeDomain } from './sql-names.ts'
import { messageTagStore } from './sql-message-tags.ts'
import { previewStore } from './sql-previews.ts'
import { readMarkStore } from './sql-read-marks.ts'
import { rejectionStore } from './sql-rejections.ts'
import { removalStore } from './sql-removal.ts'
import { scenarioStore } from './sql-scenarios.ts'
import { sendingStore } from './sql-sending.ts'
import { MESSAGES, MESSAGES_WITH_CONTENT } from './sql-tables.ts'
import { addTeamState, TEAM } from './sql-team.ts'
import { teamStore } from './sql-teams.ts'
import { usageStore } from './sql-usage.ts'
import { sql, type Sql } from './sql.ts'
import type { Team } from './mailboxes.ts'
import type { ListAnchor, MessageState, PassingMessage, StoredMessage, StoredSummary, View } from './messages.ts'
import type { Store } from './store.ts'
import { BLOCK_SIZE } from './text-block.ts'
import { createTextIndex } from './text-index.ts'
import { searchText } from './text-search.ts'
import { createTextTail } from './text-tail.ts'

/** Everything except `onError` is for tests, which use small values. */
export type StoreOptions = { onError: (error: unknown) => void; blockSize?: number; walk?: WalkLimits }

/** The store, in SQL that both databases understand. */
export function createSqlStore(
  database: Database,
  { onError, blockSize = BLOCK_SIZE, walk = WALK_LIMITS }: StoreOptions,
): Store {
  const { dialect, read, lookup, write } = database
  const textIndex = createTextIndex(database, { blockSize, onError })
  const searchIndex = { blockSize, tail: createTextTail(database, blockSize) }

  async function first<Row>(query: Sql): Promise<Row | null> {
    return (await read<Row>(query))[0] ?? null
  }

  async function find<Row>(query: Sql): Promise<Row | null> {
    return (await lookup<Row>(query))[0] ?? null
  }

  function selectSummaries(view: View, wanted: Wanted): Promise<StoredSummary[]> {
    return findMessages(view, wanted, (rest) => read(sql`select ${SUMMARY} from ${fromMessages(view)} ${rest}`))
  }

  async function selectMessages(rest: Sql, query = read): Promise<StoredMessage[]> {
    const rows = await query<MessageRow>(sql`select ${SUMMARY}, ${CONTENT} from ${MESSAGES_WITH_CONTENT} ${rest}`)
    return rows.map(readMessage)
  }

  async function findMessages<Row extends ListAnchor>(
    view: View,
    wanted: Wanted,
    select: (rest: Sql) => Promise<Row[]>,
  ): Promise<Row[]> {
    const search = { view, wanted, select }
    // With an index alone, PostgreSQL is fast enough in one query. Only SQLite would block the main thread.
    if (!database.blocksMainThread && !checksEach(view)) return select(queryFor(dialect, view, wanted))
    return (
      (await searchMarked(database, search, walk)) ??
      (await findAmongNewest(database, search, walk)) ??
      (await searchText(database, search, searchIndex)) ??
      (await walkMessages(database, search, walk))
    )
  }

  async function newestPosition(teamId: string): Promise<number> {
    const row = await find<{ position: number }>(
      sql`select last_position as position from team_state where team_id = ${teamId}`,
    )
    return row?.position ?? 0
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
    ...mailboxStore(database, textIndex),
    ...inboxStore(database),
    ...intakeStore(database, textIndex),
    ...removalStore(database),
    ...readMarkStore(database),
    ...messageTagStore(database),
    ...rejectionStore(database),
    ...scenarioStore(database),
    ...attemptStore(database),
    ...previewStore(database),
    ...keyStore(database),
    ...accountStore(database),
    ...teamStore(database),
    ...usageStore(database),
    ...endpointStore(database),
    ...deliveryStore(database),
    ...sendingStore(database),
    ...billingStore(database),
    ...caughtDomainStore(database),

    async addTeam(team, firstKey) {
      const addTeam = sql`
        insert into teams (id, name, plan, retention_days, domain, is_bootstrap, created_at)
        values (${team.id}, ${team.name}, ${team.plan}, ${team.retentionDays}, ${team.domain},
                ${team.isBootstrap ? 1 : 0}, ${team.createdAt})
        on conflict do nothing`
      const [added] = await write(
        required(addTeam),
        addTeamState(team.id),
        ...(team.domain === null ? [] : takeDomain(team.id, team.domain, team.createdAt)),
        ...(firstKey ? [insertKey(firstKey, null)] : []),
      )
      return added === 1 ? 'added' : 'taken'
    },

    async updateTeam(id, { plan, retentionDays }, from) {
      const [updated] = await write(sql`
        update teams set plan = ${plan}, retention_days = ${retentionDays}
        where id = ${id} ${from === undefined ? sql`` : sql`and plan = ${from}`}`)
      return updated === 1
    },

    listTeams: () => read<Team>(sql`select ${TEAM} from teams t order by t.created_at, t.id`),

    findTeam: (id) => find<Team>(sql`select ${TEAM} from teams t where t.id = ${id}`),

    findBootstrapTeam: () => find<Team>(sql`select ${TEAM} from teams t where t.is_bootstrap = 1`),

    async findPrincipal(keyHash) {
      const row = await find<PrincipalRow>(sql`
        select k.id as "keyId", k.hash as "keyHash", k.name as "keyName", k.scopes, k.expires_at as "expiresAt",
               k.mailbox_id as "mailboxId", ${TEAM_OF_KEY}
        from api_keys k join teams t on t.id = k.team_id
        where k.hash = ${keyHash}
          and (k.created_by is null
               or exists (select 1 from users u where u.id = k.created_by and u.team_id = k.team_id))`)
      if (!row) return null
      const { teamId, mailboxId } = row
      const mailbox =
        mailboxId === null
          ? null
          : await find<{ name: string }>(sql`
        select name from mailboxes where team_id = ${teamId} and id = ${mailboxId} and removed_at is null`)
      return readPrincipal(row, mailbox?.name ?? null)
    },

    async recordKeyUse(uses) {
      // All processes use the same order, so that they cannot deadlock.
      const inOrder = Array.from(uses).sort(([one], [other]) => (one < other ? -1 : 1))
      await write(...inOrder.map(([id, at]) => sql`update api_keys set last_used_at = ${at} where id = ${id}`))
    },

    async latestMessage(view, after) {
      const query = checksEach(view) ? read : lookup
      const [latest] = await findMessages(view, { order: 'newest first', after, limit: 1 }, (rest) =>
        selectMessages(rest, query),
      )
      return latest ?? null
    },

    listMessages: (view, { limit, before }) =>
      selectSummaries(view, { order: 'newest first', before, limit: limit + 1 }),

    followMessages: (view, { after, upTo, limit }) =>
      selectSummaries(view, { order: 'by position', after, upTo, limit: limit + 1 }),

    async findMessage(view, id) {
      const [found] = await selectMessages(sql`where ${searchFor(dialect, view).where} and m.id = ${id}`, lookup)
      return found ?? null
    },

    async findAnchor(view, id) {
      return first<ListAnchor>(sql`
        select m.received_at as "receivedAt", m.position
        from ${fromMessages(view)}
        where ${searchFor(dialect, view).where} and m.id = ${id}`)
    },

    findCopies: (view, id) =>
      lookup(sql`
        select ${SUMMARY}
        from ${fromMessages(view)}
        where ${searchFor(dialect, view).where}
          and m.id >= ${mailIdOf(id)} and m.id <= ${lastIdOfMail(id)}
        order by m.id`),

    async existingPositions(teamId, positions) {
      const rows = await read<{ position: number }>(sql`
        select m.position from ${MESSAGES} where ${dialect.atPositions(sql`m`, teamId, positions)}`)
      return rows.map(({ position }) => position)
    },

    newestPosition,

    async messageState(teamId) {
      const state = await find<MessageState>(sql`
        select last_position as "newestPosition", message_count as count, mark_version as "markVersion",
               tag_version as "tagVersion"
        from team_state where team_id = ${teamId}`)
      return state ?? { newestPosition: 0, count: 0, markVersion: 0, tagVersion: 0 }
    },

    newestPositions: (teamIds) =>
      read(sql`
        select team_id as "teamId", last_position as position from team_state
        where ${dialect.isAmong(sql`team_id`, teamIds)}`),

    // Served by messages_by_mailbox or messages_by_time alone.
    async firstPosition({ teamId, oldestReceivedAt, filter: { mailboxId, since = oldestReceivedAt } }) {
      const ofMailbox = mailboxId === undefined ? sql`true` : sql`mailbox_id = ${mailboxId}`
      const row = await first<{ position: number | null }>(sql`
        select min(position) as position from messages
        where team_id = ${teamId} and ${ofMailbox} and received_at >= ${Math.max(oldestReceivedAt, since)}`)
      return row?.position ?? null
    },

    async countMessages({ teamId, oldestReceivedAt, filter: { mailboxId } }) {
      const row = await first<{ count: number }>(
        mailboxId === undefined
          ? // The total is stored with the team. Only messages that are expired but not deleted yet are counted.
            sql`select message_count - (select count(*) from ${MESSAGES}
                                        where m.team_id = ${teamId} and m.received_at < ${oldestReceivedAt}) as count
                from team_state where team_id = ${teamId}`
          : sql`select count(*) as count from messages
                where team_id = ${teamId} and mailbox_id = ${mailboxId} and received_at >= ${oldestReceivedAt}`,
      )
      return row?.count ?? 0
    },

    passingMessages: (teamId, { after, limit, withContent }) =>
      selectPassing(
        withContent,
        sql`where m.team_id = ${teamId} and m.position > ${after} order by m.position ${dialect.limit(limit)}`,
      ),

    arrivals: (view, { after, limit, withContent }) =>
      findMessages(view, { order: 'last position first', after, limit }, (rest) => selectPassing(withContent, rest)),

    async check() {
      await Promise.all([read(sql`select id from teams limit 1`), database.check()])
    },

    sizeBytes: database.sizeBytes,

    async close() {
      await textIndex.close()
      await database.close()
    },
  }
}

const TEAM_OF_KEY = sql`
  t.id as "teamId", t.name as "teamName", t.plan, t.retention_days as "retentionDays", t.domain`

const SUMMARY = sql`
  m.position, m.id, m.mailbox_id as "mailboxId", b.name as mailbox, m.mailbox_with_tag as "mailboxWithTag", m.tag,
  m.sender as "from", m.sender_name as "fromName", m.recipient as "to", m.subject, m.received_at as "receivedAt",
  m.attachment_count as "attachmentCount", m.size`

const CONTENT = sql`
  m.domain, m.object_mailbox as "objectMailbox", m.tenant_subdomain as "tenantSubdomain", m.stored_at as "storedAt",
  c.headers, c.html, c.text, c.codes, c.links, c.attachments, c.envelope, c.parse`

function fromMessages(view: View): Sql {
  return readsContent(view) ? MESSAGES_WITH_CONTENT : MESSAGES
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

type PrincipalRow = {
  keyId: string
  keyHash: string
  keyName: string
  scopes: string
  expiresAt: number | null
  mailboxId: string | null
  teamId: string
  teamName: string
  plan: Team['plan']
  retentionDays: number | null
  domain: string | null
}

function readPrincipal(row: PrincipalRow, mailboxName: string | null) {
  return {
    keyId: row.keyId,
    keyHash: row.keyHash,
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
    mailbox: row.mailboxId === null ? null : { id: row.mailboxId, name: mailboxName },
  }
}
