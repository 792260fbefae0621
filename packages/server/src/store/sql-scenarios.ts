import { FIRST_STATE } from '../domain/scenario.ts'
import type { Database } from './database.ts'
import { isLockConflict } from './postgres-errors.ts'
import type { ChangedScript, ScenarioKey, ScenarioStore, StoredScenario } from './scenarios.ts'
import { sql, type Sql } from './sql.ts'

/** Mail of a mailbox that was deleted or has another name. `name` is its old name. */
export function removeScenariosOf(teamId: string, name: Sql): Sql {
  return sql`delete from scenarios where team_id = ${teamId} and mailbox = ${name}`
}

function updateOf(teamId: string, { id, version, state }: ChangedScript): Sql {
  return sql`
    update scenarios set state = ${JSON.stringify(state)}, version = version + 1
    where team_id = ${teamId} and id = ${id} and version = ${version}`
}

export function scenarioStore({ dialect, read, write, writeFor }: Database): ScenarioStore {
  async function findBy(condition: Sql): Promise<StoredScenario[]> {
    const rows = await read<ScenarioRow>(sql`
      select ${ADDRESS}, recipient as "to", steps, state, version, created_at as "createdAt", expires_at as "expiresAt"
      from scenarios
      where ${condition}
      order by created_at desc, id desc`)
    return rows.map(readScenario)
  }

  /** A row that others keep locked does not prevent the rest. */
  async function saveInOrder(teamId: string, states: ChangedScript[]): Promise<number[]> {
    const updates = states.map((state) => updateOf(teamId, state))
    try {
      return await write(...updates)
    } catch (error) {
      if (!isLockConflict(error)) throw error
      return Promise.all(updates.map(saveUnlessLocked))
    }
  }

  async function saveUnlessLocked(update: Sql): Promise<number> {
    try {
      const [changed] = await write(update)
      return changed
    } catch (error) {
      if (!isLockConflict(error)) throw error
      return 0
    }
  }

  return {
    async addScenario(scenario, scenariosMax) {
      const { teamId, id, domain, mailbox, tag, match, to, steps, createdAt, expiresAt } = scenario
      const ofAddress = sql`
        domain = ${domain} and mailbox = ${mailbox} and tag = ${tag ?? ''} and is_prefix = ${match === 'prefix' ? 1 : 0}`
      const results = await writeFor(
        teamId,
        sql`delete from scenarios where team_id = ${teamId} and (expires_at <= ${createdAt} or (${ofAddress}))`,
        sql`
          insert into scenarios (team_id, id, domain, mailbox, tag, is_prefix, recipient, steps, state, version, created_at,
                                 expires_at)
          select s.team_id, ${id}, ${domain}, ${mailbox}, ${tag ?? ''}, ${match === 'prefix' ? 1 : 0}, ${to},
                 ${JSON.stringify(steps)}, ${JSON.stringify(FIRST_STATE)}, 0, ${createdAt}, ${expiresAt}
          from team_state s
          where s.team_id = ${teamId}
            and ${scenariosMax} > (select count(*) from scenarios where team_id = ${teamId})`,
      )
      return results[1] === 1 ? { ...scenario, state: FIRST_STATE, version: 0 } : 'limit'
    },

    listScenarios: (teamId, at) => findBy(sql`team_id = ${teamId} and expires_at > ${at}`),

    findScenarios: (teamId, ids, at) =>
      findBy(sql`team_id = ${teamId} and ${dialect.isAmong(sql`id`, ids)} and expires_at > ${at}`),

    async findScenarioFor({ teamId, domain, mailbox, tag }, at) {
      const given = tag ?? ''
      const [found] = await read<ScenarioKey>(sql`
        select team_id as "teamId", id
        from scenarios
        where team_id = ${teamId} and domain = ${domain} and mailbox = ${mailbox} and expires_at > ${at}
          and (is_prefix = 0 and tag = ${given} or is_prefix = 1 and substr(${given}, 1, length(tag)) = tag)
        order by is_prefix, length(tag) desc
        limit 1`)
      return found ?? null
    },

    async saveScriptStates(teamId, states) {
      if (states.length === 0) return []
      // In one order, so that two of these do not wait for each other's rows in a circle.
      const ordered = states.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      const changed = await saveInOrder(teamId, ordered)
      const saved = new Set(ordered.filter((_, index) => changed[index] === 1))
      return states.map((state) => saved.has(state))
    },

    async removeScenario({ teamId, id }) {
      const [removed] = await write(sql`delete from scenarios where team_id = ${teamId} and id = ${id}`)
      return removed === 1
    },

    async removeExpiredScenarios(teamId, at) {
      await write(sql`delete from scenarios where team_id = ${teamId} and expires_at <= ${at}`)
    },

    async scriptedAddresses(at, scriptsMax) {
      // In the order of the index.
      const rows = await read<AddressRow>(sql`
        select ${ADDRESS} from scenarios where expires_at > ${at} order by expires_at desc limit ${scriptsMax}`)
      return rows.map(readAddress)
    },
  }
}

const ADDRESS = sql`team_id as "teamId", id, domain, mailbox, tag, is_prefix as "isPrefix"`

type AddressRow = { teamId: string; id: string; domain: string; mailbox: string; tag: string; isPrefix: number }

function readAddress({ tag, isPrefix, ...row }: AddressRow) {
  return { ...row, tag: tag === '' ? null : tag, match: isPrefix ? ('prefix' as const) : ('exact' as const) }
}

type ScenarioRow = AddressRow & {
  to: string
  steps: string
  state: string
  version: number
  createdAt: number
  expiresAt: number
}

function readScenario({ to, steps, state, version, createdAt, expiresAt, ...address }: ScenarioRow): StoredScenario {
  // Written by the store itself.
  return {
    ...readAddress(address),
    to,
    steps: JSON.parse(steps),
    state: { ...FIRST_STATE, ...JSON.parse(state) },
    version,
    createdAt,
    expiresAt,
  }
}
