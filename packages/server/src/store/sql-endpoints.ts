import { returning, type Database } from './database.ts'
import { settleOutbox } from './sql-outbox.ts'
import { sql, type Sql } from './sql.ts'
import type { Endpoint, EndpointChange, EndpointKey, OldSecret, WebhookStore } from './webhooks.ts'

type EndpointStore = Pick<
  WebhookStore,
  | 'addEndpoint'
  | 'listEndpoints'
  | 'findEndpoint'
  | 'updateEndpoint'
  | 'rotateEndpointSecret'
  | 'hideEndpoint'
  | 'removedEndpoints'
  | 'emptySomeOfEndpoint'
  | 'failInactive'
  | 'endpointIds'
  | 'findListeners'
>

/** Rows per transaction. It takes a few milliseconds, during which arriving mail has to wait. */
const ROWS_PER_STEP = 500

export function endpointStore(database: Database): EndpointStore {
  const { dialect, read, writeFor } = database

  async function listBy(condition: Sql): Promise<Endpoint[]> {
    const rows = await read<EndpointRow>(sql`
      select ${ENDPOINT} from webhook_endpoints e
      where ${condition} and e.removed_at is null
      order by e.created_at desc, e.id desc`)
    return rows.map(readEndpoint)
  }

  async function findBy(condition: Sql): Promise<Endpoint | null> {
    return (await listBy(condition))[0] ?? null
  }

  async function idsBy(teamId: string, condition: Sql): Promise<string[]> {
    const rows = await read<{ id: string }>(sql`
      select id from webhook_endpoints where team_id = ${teamId} and ${condition} order by id`)
    return rows.map(({ id }) => id)
  }

  return {
    async addEndpoint(endpoint, endpointsMax) {
      const { id, teamId, url, description, mailbox, tag, secret, secretMasked, createdAt } = endpoint
      const [added] = await writeFor(
        teamId,
        sql`
          insert into webhook_endpoints (team_id, id, url, description, mailbox, tag, secret, secret_masked, created_at,
                                         updated_at)
          select s.team_id, ${id}, ${url}, ${description}, ${mailbox}, ${tag}, ${secret}, ${secretMasked}, ${createdAt},
                 ${createdAt}
          from team_state s
          where s.team_id = ${teamId}
            and ${endpointsMax} > (select count(*) from webhook_endpoints
                                   where team_id = ${teamId} and removed_at is null)
          on conflict do nothing`,
      )
      if (added === 1) return { ...NEW_ENDPOINT, ...endpoint, updatedAt: createdAt }
      return (await findBy(sql`e.team_id = ${teamId} and e.url = ${url}`)) ? 'exists' : 'limit'
    },

    listEndpoints: (teamId) => listBy(sql`e.team_id = ${teamId}`),

    findEndpoint: ({ teamId, id }) => findBy(sql`e.team_id = ${teamId} and e.id = ${id}`),

    async updateEndpoint({ teamId, id }, change, at) {
      const isTaken = sql`
        exists (select 1 from webhook_endpoints where team_id = ${teamId} and id <> ${id} and url = ${change.url ?? null})`
      const update = returning<EndpointRow>(sql`
        update webhook_endpoints set ${changesOf(change)} updated_at = ${at}
        where ${exists({ teamId, id })} and not ${isTaken}
        returning ${ENDPOINT}`)
      // Remaining work if a crash interrupted disabling it. Nothing new becomes pending until it is enabled.
      if (change.isActive === true) await failAllInactive(database, { teamId, id }, at)
      // What a concurrent call left pending can be sent from then on, or no longer.
      const outbox = change.isActive === undefined ? [] : settleOutbox(teamId)
      const [[updated]] = await writeFor(teamId, update, ...outbox)
      if (updated && change.isActive === false) await failAllInactive(database, { teamId, id }, at)
      if (updated) return readEndpoint(updated)
      return (await findBy(sql`e.team_id = ${teamId} and e.id = ${id}`)) ? 'exists' : null
    },

    async rotateEndpointSecret({ teamId, id }, { replaced, secret, secretMasked, oldSecrets, at }) {
      const [rotated] = await writeFor(
        teamId,
        sql`
          update webhook_endpoints
          set old_secrets = ${JSON.stringify(oldSecrets)}, secret = ${secret}, secret_masked = ${secretMasked},
              updated_at = ${at}
          where ${exists({ teamId, id })} and secret = ${replaced}`,
      )
      return rotated === 1
    },

    async hideEndpoint(where, at) {
      const [hidden] = await writeFor(
        where.teamId,
        sql`
          update webhook_endpoints
          set removed_at = ${at}, ${HIDDEN_ENDPOINT}
          where ${exists(where)}`,
        ...settleOutbox(where.teamId),
      )
      return hidden === 1
    },

    removedEndpoints: (teamId) => idsBy(teamId, sql`removed_at is not null`),

    async emptySomeOfEndpoint({ teamId, id }, limit) {
      const ofEndpoint = sql`from deliveries where team_id = ${teamId} and endpoint_id = ${id}`
      const [removed] = await writeFor(
        teamId,
        sql`
          delete from deliveries
          where team_id = ${teamId} and ${dialect.isIn(sql`id`, sql`select id ${ofEndpoint} limit ${limit}`)}`,
      )
      if (removed !== 0) return true
      await writeFor(
        teamId,
        sql`
          delete from webhook_endpoints
          where team_id = ${teamId} and id = ${id} and removed_at is not null and not exists (select 1 ${ofEndpoint})`,
      )
      return false
    },

    failInactive: (where, page) => failSomeInactive(database, where, page),

    endpointIds: (teamId) => idsBy(teamId, sql`removed_at is null`),

    findListeners: (teamId, { mailbox, tag }) =>
      read(sql`
        select e.id as "endpointId", t.plan
        from webhook_endpoints e join teams t on t.id = e.team_id
        where e.team_id = ${teamId} and e.is_active = 1 and (e.mailbox is null or e.mailbox = ${mailbox})
          and (e.tag is null or e.tag = ${tag})
        order by e.id`),
  }
}

/** The id is not a URL that a user could enter, so the URL is free again. */
export const HIDDEN_ENDPOINT = sql`is_active = 0, url = id, secret = '', old_secrets = '[]'`

const NEW_ENDPOINT = { isActive: true, disabledReason: null, oldSecrets: [], failingSince: null }

export const ENDPOINT = sql`
  id, team_id as "teamId", url, description, mailbox, tag, is_active as "isActive",
  disabled_reason as "disabledReason", secret_masked as "secretMasked", secret, old_secrets as "oldSecrets",
  failing_since as "failingSince", created_at as "createdAt",
  updated_at as "updatedAt"`

export type EndpointRow = Omit<Endpoint, 'isActive' | 'oldSecrets'> & { isActive: number; oldSecrets: string }

export function readEndpoint(row: EndpointRow): Endpoint {
  // Only `rotateEndpointSecret` writes this column.
  const oldSecrets: OldSecret[] = JSON.parse(row.oldSecrets)
  return { ...row, isActive: row.isActive === 1, oldSecrets }
}

/** Fails the pending deliveries of a disabled endpoint. They are not in the outbox. */
export async function failAllInactive(database: Database, where: EndpointKey, at: number): Promise<void> {
  const page = { limit: ROWS_PER_STEP, at }
  while ((await failSomeInactive(database, where, page)) === ROWS_PER_STEP);
}

async function failSomeInactive(
  { dialect, writeFor }: Database,
  { teamId, id }: EndpointKey,
  { limit, at }: { limit: number; at: number },
): Promise<number> {
  const pending = sql`
    select id from deliveries
    where team_id = ${teamId} and endpoint_id = ${id} and status = 'pending'
    limit ${limit}`
  const [failed] = await writeFor(
    teamId,
    sql`
      update deliveries
      set status = 'failed', error = 'endpoint inactive', next_attempt_at = null, lease_owner = null,
          lease_until = null, finished_at = ${at}
      where team_id = ${teamId} and ${dialect.isIn(sql`id`, pending)}
        and exists (select 1 from webhook_endpoints where ${exists({ teamId, id })} and is_active = 0)`,
  )
  return failed
}

function exists({ teamId, id }: EndpointKey): Sql {
  return sql`team_id = ${teamId} and id = ${id} and removed_at is null`
}

function changesOf({ url, description, isActive }: EndpointChange): Sql {
  // A new URL or enabling it again resets the endpoint: earlier failures no longer count.
  const isNew = sql`${url === undefined ? sql`false` : sql`url <> ${url}`} or ${isActive ? sql`is_active = 0` : sql`false`}`
  return sql`
    ${url === undefined ? sql`` : sql`url = ${url},`}
    ${description === undefined ? sql`` : sql`description = ${description},`}
    ${isActive === undefined ? sql`` : sql`is_active = ${isActive ? 1 : 0},`}
    ${isActive ? sql`disabled_reason = null,` : sql``}
    failing_since = case when ${isNew} then null else failing_since end,`
}

/** Endpoints of a team. Part of every inbox lookup, so that teams without endpoints need no extra query. */
export function countEndpoints(teamId: Sql): Sql {
  return sql`(select count(*) from webhook_endpoints where team_id = ${teamId} and is_active = 1) as "endpointCount"`
}
