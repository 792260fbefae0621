import type { RpcPorts } from '../../src/http/rpc/ports.ts'
import type { ProcedureAccess } from '../../src/http/rpc/procedures.ts'
import { createRouter } from '../../src/http/rpc/router.ts'
import { newSecret } from '../../src/random.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { callProcedure, type ProcedureType } from '../support/procedure.ts'
import { actingFirstAs } from './acts-first.ts'
import { OURS, procedureTable, type Expected, type Row, type SessionCaller } from './procedure-table.ts'
import { changesBetween, teamStateReader } from './team-state.ts'

// Only names and kinds are used, and no port. The type is nested, the value is flat.
const procedures: object = createRouter({} as RpcPorts)._def.procedures
type Definition = { type: ProcedureType; meta: { access: ProcedureAccess } }
export const PROCEDURES = Object.entries(procedures as Record<string, { _def: Definition }>).map(
  ([path, { _def }]) => ({
    path,
    type: _def.type,
    access: _def.meta.access,
  }),
)

/** Callers that the declared access permits. */
const LETS_IN: Record<ProcedureAccess, SessionCaller[]> = {
  anyone: ['owner', 'member', 'outsider', 'teamless', 'operator'],
  members: ['owner', 'member', 'outsider', 'operator'],
  owners: ['owner', 'outsider', 'operator'],
  operator: ['operator'],
}

const WITHOUT_SESSION: SessionCaller[] = ['stranger', 'ended session', 'unknown session', 'API key']

export function expectedFor(access: ProcedureAccess, row: Row, caller: SessionCaller): Expected {
  if (WITHOUT_SESSION.includes(caller)) return 'unauthorized'
  return LETS_IN[access].includes(caller) ? (row.expected?.[caller] ?? 'ok') : 'forbidden'
}

export type SessionCell = { path: string; caller: SessionCaller; expected: Expected }

/** A mutation that may not change anything of our team: it is refused, or comes from outside. */
export function isWatched({ path, caller, expected }: SessionCell): boolean {
  if (!PROCEDURES.some((one) => one.path === path && one.type === 'mutation')) return false
  return expected !== 'ok' || !['owner', 'member', 'operator'].includes(caller)
}

/** A server with two teams and all these callers. Call it at the top level of a file. */
export async function startSessionMatrix() {
  const server = await startFileServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1:1', RATE_LIMIT: 'off' })
  const { url } = server
  const people = await openPeople(server)
  const ours = await people.newTeam()
  const theirs = await people.newTeam()
  const member = await people.person()
  await ours.join(member)
  const leaving = await people.person()
  await people.store.removeSessions(leaving.id)
  const { table, addOneOfEach } = procedureTable({ server, people, ours, theirs })
  await addOneOfEach()
  const marks = [OURS, ours.team.id, ours.owner.email, member.email]
  /** Procedures that have shown our team something of its own. */
  const showing = new Set<string>()
  const operator = await people.operator()
  const readState = teamStateReader(url, { owner: ours.owner, member, operator })

  const callers: Record<SessionCaller, () => Promise<Record<string, string>>> = {
    owner: async () => ours.owner.headers,
    member: async () => member.headers,
    outsider: async () => theirs.owner.headers,
    teamless: async () => (await people.person()).headers,
    stranger: async () => ({ origin: url }),
    operator: async () => operator.headers,
    'ended session': async () => leaving.headers,
    'unknown session': async () => ({ cookie: `mailhatch=${newSecret()}`, origin: url }),
    'API key': async () => ({ authorization: `Bearer ${server.apiKey}`, origin: url }),
  }

  /** Every procedure with these callers, and what its declared access says about each. */
  function cellsFor(some: readonly SessionCaller[]): SessionCell[] {
    return PROCEDURES.flatMap(({ path, access }) =>
      some.map((caller) => ({ path, caller, expected: expectedFor(access, table[path]!, caller) })),
    )
  }

  async function tryCell(cell: SessionCell, { actsFirst }: { actsFirst: boolean }) {
    const { path, caller } = cell
    const row = table[path]!
    const input = await row.input?.()
    const headers = caller === 'member' && row.member ? (await row.member()).headers : await callers[caller]()
    const { type, access } = PROCEDURES.find((one) => one.path === path)!
    const permitted = row.permitted ?? callers[access === 'operator' ? 'operator' : 'owner']
    const acting = actsFirst ? actingFirstAs(await permitted()) : {}
    const read = async () => (isWatched(cell) ? readState() : {})
    const before = await read()
    const answer = await callProcedure(url, { path, type, input, headers: { ...headers, ...acting } })
    return { ...answer, changes: changesBetween(before, await read()) }
  }

  /**
   * What was found instead of the declared answer, what others are shown of our team, or what they change. `actsFirst`: see
   * acts-first.ts.
   */
  async function check(cell: SessionCell, { actsFirst = false } = {}): Promise<object | null> {
    const { code, status, text, changes } = await tryCell(cell, { actsFirst })
    const isOurs = cell.caller === 'owner' || cell.caller === 'member'
    const mark = marks.find((one) => text.includes(one))
    if (mark !== undefined && isOurs) showing.add(cell.path)
    if (mark !== undefined && !isOurs) return { code, shows: mark }
    if (changes.length > 0) return { code, changes }
    return code === cell.expected && (status === 200) === (cell.expected === 'ok') ? null : { code, status }
  }

  /** The operator owns a team like others, so only procedures for operators say something new. */
  function operatorCells(): SessionCell[] {
    const forOperators = PROCEDURES.filter(({ access }) => access === 'operator').map(({ path }) => path)
    return cellsFor(['operator']).filter(({ path }) => forOperators.includes(path))
  }

  return { server, url, people, ours, theirs, member, table, cellsFor, operatorCells, check, showing }
}
