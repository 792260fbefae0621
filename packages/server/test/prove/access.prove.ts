import { test } from 'vitest'
import { faults, INJECTED_DELAY_MS, withOtherProcedures, withOtherRoutes } from '../access/access-faults.ts'
import { compareIds, SAMPLES, type Comparison } from '../access/id-probe.ts'
import { keyRequests, otherRequests, sessionRequests } from '../access/id-requests.ts'
import { KEY_CALLERS, KEY_CELLS, startKeyMatrix } from '../access/key-matrix.ts'
import { OTHER_CALLERS, startOtherMatrix } from '../access/other-matrix.ts'
import type { SessionCaller } from '../access/procedure-table.ts'
import { startSessionMatrix } from '../access/session-matrix.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/**
 * With 300 samples of each kind, equal times have an AUC of 0.5 with a standard deviation of 0.024. This is five of them:
 * among 50 comparisons, about one of 50,000 runs goes beyond it by chance.
 */
const AUC_DISTANCE_MAX = 0.12
/** The limit and five standard deviations: the least that the injected delay has to show. */
const AUC_DISTANCE_CONTROL_MIN = 0.24

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
/** What a key of another team must not see: ids, and rows of lists. */
const FROM_OUTSIDE = KEY_CELLS.filter(
  ({ caller, outcome }) => caller === 'a key of another team' && outcome !== 'success' && !outcome.startsWith('401'),
)
/** Most lists, and what shows one of their rows. */
const SHOWING_MIN = 15
const WRONG = 'combinations with another answer than declared, or that show what belongs to another team'
const OTHER_ANSWER = 'with another answer'
const AUC_DISTANCE = 'largest distance of an AUC from 0.5'

const keyMatrix = await startKeyMatrix({ RATE_LIMIT: 'off' })
const sessionMatrix = await startSessionMatrix()
const otherMatrix = await startOtherMatrix()
const changedKeys = await withOtherRoutes(() => startKeyMatrix({ RATE_LIMIT: 'off' }))
const changedSessions = await withOtherProcedures(startSessionMatrix)

test('every route and procedure lets in exactly whom it declares', async () => {
  const sessionCells = [...sessionMatrix.cellsFor(SESSION_CALLERS), ...sessionMatrix.operatorCells()]
  const otherCells = otherMatrix.cellsFor(OTHER_CALLERS)
  const wrong = [
    ...(await wrongOf(KEY_CELLS, keyMatrix.check)),
    ...(await wrongOf(sessionCells, sessionMatrix.check)),
    ...(await wrongOf(otherCells, otherMatrix.check)),
  ]
  const sizes = {
    operations: sizeOf(KEY_CELLS, ({ id }) => id),
    procedures: sizeOf(sessionCells, ({ path }) => path),
    others: sizeOf(otherCells, nameOf),
  }
  progress('the control: every route and procedure with another access')
  const control = await findChanges()

  prove({
    claim: 'Every route and procedure lets in exactly whom it declares.',
    tried:
      `Each operation of the REST API was called by ${Object.keys(KEY_CALLERS).length} callers (no key, keys that are unknown, malformed, ` +
      'revoked, expired or of another team, each scope, keys of this, another and a deleted mailbox, the webhook secret, a session), ' +
      `each procedure of the dashboard by ${SESSION_CALLERS.length} (owner, member, owner of another team, without a team, signed ` +
      'out, ended and unknown sessions, an API key) and the operator, and every other route of the API and the worker (accounts, ' +
      `downloads, views, MCP, the admin API, metrics) by ${OTHER_CALLERS.length} of these kinds. The routes come from the routers; the ` +
      'expected answer comes from the declaration of the operation or procedure, and from a table for the other routes.',
    figures: [
      counted('operations of the REST API', sizes.operations),
      counted('procedures', sizes.procedures),
      counted('other routes', sizes.others),
      counted('combinations tried', KEY_CELLS.length + sessionCells.length + otherCells.length),
      atLeast(SHOWING_MIN, 'procedures that show the team something of its own', sessionMatrix.showing.size),
      atMost(0, WRONG, wrong.length),
    ],
    control: {
      tried:
        'The same check of servers in which each operation and each procedure has another access than it declares, keys and users of another team ' +
        'are treated as ours, and the other routes take any credentials for those of the last caller and refuse callers without.',
      figures: [
        atLeast(sizes.operations + sizes.procedures + sizes.others, WRONG, control.wrong),
        atLeast(sizes.operations, 'operations found', control.operations),
        atLeast(sizes.procedures, 'procedures found', control.procedures),
        atLeast(sizes.others, 'other routes found', control.others),
        atLeast(FROM_OUTSIDE.length, 'operations found that show what belongs to another team', control.leaks),
        atLeast(sessionMatrix.showing.size, 'procedures found that do', control.shown),
      ],
    },
  })
})

test('ids of another team are answered like ids that do not exist', async () => {
  const compared = await compareAll()
  faults.forForeignIds = 'delay'
  const delayed = await compareAll()
  faults.forForeignIds = 'other answer'
  const different = await compareAll({ samples: 1 })
  faults.forForeignIds = 'nothing'

  prove({
    claim: 'The id of another team is answered like an id that does not exist: status, headers, body and time.',
    tried:
      `Every route and procedure that takes an id, ${SAMPLES} times with ids of another team and ${SAMPLES} times with absent ids of the same form, ` +
      'in random order over one connection. The AUC is the share of pairs in which the id of the other team takes longer; equal ' +
      'times have 0.5, with a standard deviation of 0.024, and the limit is five of these.',
    figures: [
      counted('routes and procedures with ids', compared.length),
      atMost(0, OTHER_ANSWER, withOtherAnswer(compared)),
      atMost(AUC_DISTANCE_MAX, AUC_DISTANCE, largestDistance(compared)),
      counted(
        'largest difference of medians',
        Math.max(...compared.map(({ medianDifferenceMicroseconds: one }) => Math.abs(one))),
        'µs',
      ),
    ],
    control: {
      tried: `The same with ${INJECTED_DELAY_MS} ms more for ids of another team, and once with another answer for them.`,
      figures: [
        atLeast(different.length, OTHER_ANSWER, withOtherAnswer(different)),
        atLeast(AUC_DISTANCE_CONTROL_MIN, AUC_DISTANCE, largestDistance(delayed)),
        atLeast(
          Math.floor(delayed.length * 0.9),
          'delays found',
          delayed.filter(({ auc }) => Math.abs(auc - 0.5) > AUC_DISTANCE_MAX).length,
        ),
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

/** The same check of the changed servers, by the callers for whom something changed. */
async function findChanges() {
  const byKeys = KEY_CELLS.filter(({ caller }) => caller === 'no key' || caller === 'an email.full key')
  const operations = await wrongOf(byKeys, changedKeys.check)
  const procedures = await wrongOf(changedSessions.cellsFor(['owner', 'member', 'teamless']), changedSessions.check)
  const leaks = await wrongOf(FROM_OUTSIDE, changedKeys.check)
  const shown = await findShown()
  faults.confusesCallers = true
  const others = await wrongOf(otherMatrix.cellsFor(['no credentials', 'an unknown key']), otherMatrix.check)
  faults.confusesCallers = false
  const found = {
    operations: sizeOf(operations, ({ id }) => id),
    procedures: sizeOf(procedures, ({ path }) => path),
    others: sizeOf(others, nameOf),
    leaks: leaks.length,
    shown: shown.length,
  }
  return { ...found, wrong: operations.length + procedures.length + others.length + leaks.length + shown.length }
}

/** What the owner of another team is shown of ours, if it is treated as a user of ours. */
async function findShown() {
  const { ours, showing } = sessionMatrix
  faults.sharedTeamId = ours.team.id
  // The first call shows the faulty server which team this is.
  await ours.owner.call.team.current.query()
  const fromOutside = sessionMatrix.cellsFor(['outsider']).filter(({ path }) => showing.has(path))
  const shown = await wrongOf(fromOutside, sessionMatrix.check)
  faults.sharedTeamId = null
  return shown
}

async function compareAll({ samples = SAMPLES } = {}): Promise<Comparison[]> {
  const random = seededRandom(SEED)
  const compared: Comparison[] = []
  for (const [url, requests] of [
    [keyMatrix.walk.url, await keyRequests(keyMatrix)],
    [sessionMatrix.url, await sessionRequests(sessionMatrix)],
    [otherMatrix.url, await otherRequests(otherMatrix)],
  ] as const) {
    for (const request of requests) {
      compared.push(await compareIds(url, request, { random, samples }))
      progress(`${request.name}: AUC ${compared.at(-1)!.auc.toFixed(3)}`)
    }
  }
  return compared
}

const sizeOf = <One>(all: One[], name: (one: One) => string) => new Set(all.map(name)).size
const nameOf = ({ program, name }: { program: string; name: string }) => `${program} ${name}`
const withOtherAnswer = (all: Comparison[]) => all.filter(({ isSameAnswer }) => !isSameAnswer).length
const largestDistance = (all: Comparison[]) => Math.max(...all.map(({ auc }) => Math.abs(auc - 0.5)))
