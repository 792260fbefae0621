import { expect, test, vi } from 'vitest'
import { scopesFor, type Access } from '../../src/http/routes/access.ts'
import type { Route } from '../../src/http/routes/route.ts'
import { ROUTES } from '../../src/http/routes/routes.ts'
import type { ProcedureAccess } from '../../src/http/rpc/procedures.ts'
import { compareIds, KIND_HEADER, KIND_VALUES, namesIds, type Comparison, type IdRequest } from '../access/id-probe.ts'
import { KEY_CALLERS, KEY_CELLS, startKeyMatrix, type KeyCell } from '../access/key-matrix.ts'
import type { SessionCaller } from '../access/procedure-table.ts'
import { expectedFor, PROCEDURES, startSessionMatrix, type SessionCell } from '../access/session-matrix.ts'
import { describedOperations } from '../support/documented.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/**
 * With 300 samples of each kind, equal times have an AUC of 0.5 with a standard deviation of 0.024. This is five of them:
 * among 50 comparisons, about one of 50,000 runs goes beyond it by chance.
 */
const AUC_DISTANCE_MAX = 0.12
/** What the control adds for ids of other teams. */
const INJECTED_DELAY_MS = 0.3

const faults = vi.hoisted(() => ({
  /** A server that starts meanwhile has other procedures than were declared. */
  changesProcedures: false,
  /** What happens to requests with an id of another team. */
  forForeignIds: 'nothing' as 'nothing' | 'delay' | 'other answer',
}))

const OTHER_PROCEDURE_ACCESS: Record<ProcedureAccess, ProcedureAccess> = {
  anyone: 'members',
  members: 'owners',
  owners: 'members',
  operator: 'owners',
}
const OTHER_ACCESS: Record<Access, Access> = {
  everyone: 'api.full',
  'webhook secret': 'everyone',
  'any scope': 'api.full',
  'api.full': 'any scope',
}

vi.mock('../../src/http/rpc/procedures.ts', async (load) => {
  const original = await load<typeof import('../../src/http/rpc/procedures.ts')>()
  const changed = (access: ProcedureAccess) =>
    original.procedure(faults.changesProcedures ? OTHER_PROCEDURE_ACCESS[access] : access)
  return { ...original, procedure: changed }
})

vi.mock('../../src/http/app.ts', async (load) => {
  const original = await load<typeof import('../../src/http/app.ts')>()
  return {
    createApi(...ports: Parameters<typeof original.createApi>) {
      const app = original.createApi(...ports)
      const { fetch } = app
      app.fetch = (request, ...rest) => {
        if (faults.forForeignIds === 'nothing' || request.headers.get(KIND_HEADER) !== KIND_VALUES.foreign)
          return fetch(request, ...rest)
        if (faults.forForeignIds === 'other answer') return Response.json({ code: 'forbidden' }, { status: 403 })
        const until = performance.now() + INJECTED_DELAY_MS
        while (performance.now() < until);
        return fetch(request, ...rest)
      }
      return app
    },
  }
})

const SESSION_CALLERS: SessionCaller[] = [
  'owner',
  'member',
  'outsider',
  'teamless',
  'stranger',
  'ended session',
  'unknown session',
  'API key',
]

let ourTeam: { name: string } | null = null
const keyMatrix = await startKeyMatrix({ RATE_LIMIT: 'off' })
const sessionMatrix = await startSessionMatrix()
const changedKeys = await withOtherRoutes(() => startKeyMatrix({ RATE_LIMIT: 'off' }))
const changedSessions = await withOtherProcedures(startSessionMatrix)

test('every route and procedure lets in exactly whom it declares', async () => {
  const sessionCells = [...sessionMatrix.cellsFor(SESSION_CALLERS), ...operatorCells()]
  const wrongKeys = await wrongOf(KEY_CELLS, (cell) => checkKeyCell(keyMatrix, cell))
  const wrongSessions = await wrongOf(sessionCells, (cell) => checkSessionCell(sessionMatrix, cell))

  progress('the control: every route and procedure with another access')
  const telling = KEY_CELLS.filter(({ caller }) => caller === 'no key' || caller === 'an email.full key')
  const foundRoutes = new Set((await wrongOf(telling, (cell) => checkKeyCell(changedKeys, cell))).map(({ id }) => id))
  const tellingSessions = changedSessions.cellsFor(['owner', 'member', 'teamless'])
  const foundProcedures = new Set(
    (await wrongOf(tellingSessions, (cell) => checkSessionCell(changedSessions, cell))).map(({ path }) => path),
  )
  const fromOutside = KEY_CELLS.filter(
    ({ id, caller }) => caller === 'a key of another team' && routesWithIds().includes(id),
  )
  const foundLeaks = await wrongOf(fromOutside, (cell) => checkKeyCell(changedKeys, cell))

  prove({
    claim: 'Every route and procedure lets in exactly whom it declares.',
    tried:
      `Each route of the REST API was called by ${Object.keys(KEY_CALLERS).length} callers (no key, keys that are unknown, malformed, ` +
      'revoked, expired or of another team, each scope, keys of this, another and a deleted mailbox, the webhook secret, a session), ' +
      `and each procedure of the dashboard by ${SESSION_CALLERS.length} (owner, member, owner of another team, without a team, signed ` +
      'out, ended and unknown sessions, an API key). The expected answer comes from the declaration.',
    figures: [
      atLeast(ROUTES.length, 'routes', new Set(KEY_CELLS.map(({ id }) => id)).size),
      atLeast(PROCEDURES.length, 'procedures', new Set(sessionCells.map(({ path }) => path)).size),
      counted('combinations tried', KEY_CELLS.length + sessionCells.length),
      atMost(0, 'combinations with another answer than declared', wrongKeys.length + wrongSessions.length),
    ],
    control: {
      tried:
        'The same check of servers in which each route and each procedure has another access than it declares, and in which a key of ' +
        'another team is treated as one of ours.',
      figures: [
        atLeast(ROUTES.length, 'routes found', foundRoutes.size),
        atLeast(PROCEDURES.length, 'procedures found', foundProcedures.size),
        atLeast(routesWithIds().length, 'routes found that show what belongs to another team', foundLeaks.length),
      ],
    },
  })
})

test('ids of another team are answered like ids that do not exist', async () => {
  const compared = await compareAll()
  faults.forForeignIds = 'delay'
  const delayed = await compareAll()
  faults.forForeignIds = 'other answer'
  const [different] = await compareAll((requests) => requests.slice(0, 1))
  faults.forForeignIds = 'nothing'
  const isFound = ({ auc }: Comparison) => Math.abs(auc - 0.5) > AUC_DISTANCE_MAX
  const largest = (all: Comparison[], of: (one: Comparison) => number) =>
    Math.max(...all.map((one) => Math.abs(of(one))))

  prove({
    claim: 'The id of another team is answered like an id that does not exist: status, headers, body and time.',
    tried:
      'Every route and procedure that takes an id, 300 times with ids of another team and 300 times with absent ids of the same form, ' +
      'in random order over one connection. The AUC is the share of pairs in which the id of the other team takes longer; equal ' +
      'times have 0.5, with a standard deviation of 0.024, and the limit is five of these.',
    figures: [
      counted('routes and procedures with ids', compared.length),
      atMost(0, 'with another answer', compared.filter(({ isSameAnswer }) => !isSameAnswer).length),
      atMost(
        AUC_DISTANCE_MAX,
        'largest distance of an AUC from 0.5',
        largest(compared, ({ auc }) => auc - 0.5),
      ),
      counted(
        'largest difference of medians',
        largest(compared, (one) => one.medianDifferenceMicroseconds),
        'µs',
      ),
    ],
    control: {
      tried: `The same with ${INJECTED_DELAY_MS} ms more for ids of another team, and with another answer.`,
      figures: [
        atLeast(Math.floor(delayed.length * 0.9), 'delays found', delayed.filter(isFound).length),
        atMost(0, 'other answers not found', different!.isSameAnswer ? 1 : 0),
      ],
    },
  })
})

/** The cells for which `check` returns what was found instead of the declared answer. */
async function wrongOf<Cell extends object>(
  cells: Cell[],
  check: (cell: Cell) => Promise<object | null>,
): Promise<Cell[]> {
  const wrong: { cell: Cell; found: object }[] = []
  for (const [index, cell] of cells.entries()) {
    const found = await check(cell)
    if (found !== null) wrong.push({ cell, found })
    if ((index + 1) % 100 === 0) progress(`${index + 1} of ${cells.length} combinations`)
  }
  // In the control, these are nearly all.
  if (wrong.length < cells.length / 10) for (const one of wrong) progress(`another answer: ${JSON.stringify(one)}`)
  return wrong.map(({ cell }) => cell)
}

async function checkKeyCell({ tryCell }: Pick<typeof keyMatrix, 'tryCell'>, cell: KeyCell): Promise<object | null> {
  // An answer that is not in the document throws.
  const found = await tryCell(cell).catch((error: unknown) => ({ outcome: String(error), permitted: null }))
  return found.outcome === cell.outcome && found.permitted === 'success' ? null : found
}

async function checkSessionCell(
  { tryCell }: Pick<typeof sessionMatrix, 'tryCell'>,
  cell: SessionCell,
): Promise<object | null> {
  const { code, status } = await tryCell(cell)
  return code === cell.expected && (status === 200) === (cell.expected === 'ok') ? null : { code, status }
}

/** The operator owns a team like others, so only procedures for operators say something new. */
function operatorCells(): SessionCell[] {
  const forOperators = PROCEDURES.filter(({ access }) => access === 'operator').map(({ path }) => path)
  return sessionMatrix.cellsFor(['operator']).filter(({ path }) => forOperators.includes(path))
}

function routesWithIds(): string[] {
  return ROUTES.filter(({ access, path }) => scopesFor(access) && path.includes('{')).map(({ id }) => id)
}

/** The server keeps the changed routes; the declarations that the matrix reads are the original ones. */
async function withOtherRoutes<Started>(start: () => Promise<Started>): Promise<Started> {
  const declared = [...ROUTES]
  ROUTES.splice(0, ROUTES.length, ...declared.map(confused))
  return start().finally(() => ROUTES.splice(0, declared.length, ...declared))
}

/** With another access, and for keys of another team with the team that was seen first. */
function confused(route: Route): Route {
  return {
    ...route,
    access: OTHER_ACCESS[route.access],
    handle(ports, request) {
      // What the checks before it pass on.
      const { principal } = request as { principal: { team: { name: string } } | null }
      if (!principal || principal.team.name !== 'Foreign') ourTeam = principal?.team ?? ourTeam
      else return route.handle(ports, { ...request, principal: { ...principal, team: ourTeam } })
      return route.handle(ports, request)
    },
  }
}

async function withOtherProcedures<Started>(start: () => Promise<Started>): Promise<Started> {
  faults.changesProcedures = true
  return start().finally(() => (faults.changesProcedures = false))
}

async function compareAll(pick = (requests: IdRequest[]) => requests): Promise<Comparison[]> {
  const random = seededRandom(SEED)
  const compared: Comparison[] = []
  for (const [url, requests] of [
    [keyMatrix.walk.url, await keyRequests()],
    [sessionMatrix.url, await sessionRequests()],
  ] as const) {
    for (const request of pick(requests)) {
      compared.push(await compareIds(url, request, random))
      progress(`${request.name}: AUC ${compared.at(-1)!.auc.toFixed(3)}`)
    }
  }
  return compared
}

/** Routes with an id in their path, and a page that starts at an id, called by a key of another team. */
async function keyRequests(): Promise<IdRequest[]> {
  const { walk } = keyMatrix
  const authorization = `Bearer ${walk.keys.foreign}`
  const requests: IdRequest[] = []
  for (const described of describedOperations.filter(({ operation }) =>
    routesWithIds().includes(operation.operationId),
  )) {
    const { method, path, body, headers = {} } = await walk.callFor(described)
    requests.push({
      name: described.operation.operationId,
      method,
      path,
      headers: { ...headers, authorization },
      ...(body === undefined ? {} : { body }),
    })
  }
  const read = requests.find(({ name }) => name === 'getMessage')!
  const [, id] = /^\/v1\/messages\/(.*)$/.exec(read.path)!
  requests.push({ ...read, name: 'listMessages after_id', path: `/v1/messages?after_id=${id}` })
  expect(requests.every(({ path }) => namesIds(path))).toBe(true)
  return requests
}

/** Procedures whose input has an id, called by the owner of another team. */
async function sessionRequests(): Promise<IdRequest[]> {
  const { table, theirs } = sessionMatrix
  const requests: IdRequest[] = []
  for (const { path, type, access } of PROCEDURES) {
    const input = JSON.stringify((await table[path]!.input?.()) ?? {})
    if (!namesIds(input) || expectedFor(access, table[path]!, 'outsider') === 'forbidden') continue
    const headers = { ...theirs.owner.headers, 'content-type': 'application/json' }
    if (type === 'mutation') requests.push({ name: path, method: 'POST', path: `/trpc/${path}`, headers, body: input })
    else requests.push({ name: path, method: 'GET', path: `/trpc/${path}?input=${encodeURIComponent(input)}`, headers })
  }
  return requests
}
