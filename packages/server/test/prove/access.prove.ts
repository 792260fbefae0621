import { test } from 'vitest'
import { faults, withOtherProcedures, withOtherRoutes } from '../access/access-faults.ts'
import { compareIds, SAMPLES, type Comparison } from '../access/id-probe.ts'
import { DOOR_CALLERS, startDoorMatrix } from '../access/door-matrix.ts'
import { keyRequests, otherRequests, sessionRequests } from '../access/id-requests.ts'
import { KEY_CALLERS, KEY_CELLS, REFUSED_CHANGES, startKeyMatrix } from '../access/key-matrix.ts'
import { OTHER_CALLERS, startOtherMatrix } from '../access/other-matrix.ts'
import type { SessionCaller } from '../access/procedure-table.ts'
import { isWatched, startSessionMatrix } from '../access/session-matrix.ts'
import type { PeerName } from '../../src/compat/peers.ts'
import { DOOR_CASES, type DoorRow } from '../access/door-cases.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/**
 * With 300 samples of each kind, equal times have an AUC of 0.5 with a standard deviation of 0.024. This is five of them:
 * among 50 comparisons, about one of 50,000 runs goes beyond it by chance.
 */
const AUC_DISTANCE_MAX = 0.12
/** The limit and five standard deviations: the least that the longest injected delay has to show. */
const AUC_DISTANCE_CONTROL_MIN = 0.24
/** Microseconds. The longest has to be found; the others show how short a delay may be. */
const DELAYS = [30, 100, 300]
/** A delay is found if this share of the routes with ids shows it. */
const FOUND_SHARE = 0.9
/**
 * Mutations without an effect on our team with the input of the table: other teams and those that are there already, no
 * domain, no failed delivery of a message, no mail without a team, no payment provider. The sample arrives later.
 */
const WITHOUT_EFFECT = [
  'team.autoSetup',
  'team.create',
  'inbox.settings.update',
  'inbox.settings.verify',
  'inbox.mailboxes.ensureStarterMailbox',
  'inbox.ensureStarterMailbox',
  'inbox.unrouted.retry',
  'inbox.firstSteps.sendSample',
  'webhooks.replayFailed',
  'billing.checkout',
  'billing.portal',
]

/**
 * The same for operations: questions and lists of workers, and reports and deliveries of messages, which the owner's pages
 * show elsewhere or later.
 */
const OPERATIONS_WITHOUT_EFFECT = [
  'listScripts',
  'pollQuestions',
  'takeScriptStep',
  'reportAttempts',
  'reportSetAside',
  'replayWebhookDelivery',
  'replayFailedWebhookDeliveries',
]

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
const WRONG =
  'combinations with another response than declared, that show what belongs to another team, or with an effect although refused'
const CHANGED = 'refused or foreign calls with an effect'
const OTHER_ANSWER = 'routes and procedures whose responses differ'
const AUC_DISTANCE = 'largest distance of an AUC from 0.5'

const keyMatrix = await startKeyMatrix({ RATE_LIMIT: 'off' })
const sessionMatrix = await startSessionMatrix()
const otherMatrix = await startOtherMatrix()
const doorMatrices: Awaited<ReturnType<typeof startDoorMatrix>>[] = []
// The keys of a Record are its type's.
for (const peer of Object.keys(DOOR_CASES) as PeerName[]) doorMatrices.push(await startDoorMatrix(peer))
const changedKeys = await withOtherRoutes(() => startKeyMatrix({ RATE_LIMIT: 'off' }))
const changedSessions = await withOtherProcedures(startSessionMatrix)

test('every route and procedure lets in exactly whom it declares', async () => {
  const sessionCells = [...sessionMatrix.cellsFor(SESSION_CALLERS), ...sessionMatrix.operatorCells()]
  const otherCells = otherMatrix.cellsFor(OTHER_CALLERS)
  const wrong: object[] = [
    ...(await wrongOf(KEY_CELLS, keyMatrix.check)),
    ...(await wrongOf(sessionCells, sessionMatrix.check)),
    ...(await wrongOf(otherCells, otherMatrix.check)),
  ]
  for (const matrix of doorMatrices) wrong.push(...(await wrongOf(matrix.cellsFor(DOOR_CALLERS), matrix.check)))
  const doorCells = doorMatrices.reduce((sum, { cellsFor }) => sum + cellsFor(DOOR_CALLERS).length, 0)
  const sizes = {
    operations: sizeOf(KEY_CELLS, ({ id }) => id),
    procedures: sizeOf(sessionCells, ({ path }) => path),
    others: sizeOf(otherCells, nameOf),
    doors: doorMatrices.reduce((sum, { rows }) => sum + Object.keys(rows).length, 0),
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
      `downloads, views, the list of MCP’s tools, the admin API, metrics) by ${OTHER_CALLERS.length} of these kinds. Each route of the APIs of other mail ` +
      `catchers was called by ${DOOR_CALLERS.length} of them, below our API and on its own port. The routes come from the routers; the ` +
      'expected response comes from the declaration of the operation or procedure, and from a table for the other routes.',
    figures: [
      counted('operations of the REST API', sizes.operations),
      counted('procedures', sizes.procedures),
      counted('other routes', sizes.others),
      counted('routes of the APIs of other mail catchers', sizes.doors),
      counted('combinations tried', KEY_CELLS.length + sessionCells.length + otherCells.length + doorCells),
      atLeast(SHOWING_MIN, 'procedures that show the team something of its own', sessionMatrix.showing.size),
      atMost(0, WRONG, wrong.length),
    ],
    control: {
      tried:
        'The same check of servers in which each operation and each procedure has another access than it declares, keys and users of another team ' +
        'are treated as ours, and the other routes take any credentials for those of the last caller and refuse callers without.',
      figures: [
        atLeast(sizes.operations + sizes.procedures + sizes.others + 2 * sizes.doors, WRONG, control.wrong),
        atLeast(sizes.operations, 'operations found', control.operations),
        atLeast(sizes.procedures, 'procedures found', control.procedures),
        atLeast(sizes.others, 'other routes found', control.others),
        atLeast(
          2 * sizes.doors,
          'routes of the APIs of other mail catchers found, below our API and on its own port',
          control.doors,
        ),
        atLeast(
          doorMatrices.reduce((sum, { rows }) => sum + Object.values(rows).filter(isAboutMessage).length, 0),
          'of these, routes found that show or change what belongs to another team',
          control.doorLeaks,
        ),
        atLeast(FROM_OUTSIDE.length, 'operations found that show what belongs to another team', control.leaks),
        atLeast(sessionMatrix.showing.size, 'procedures found that show what belongs to another team', control.shown),
      ],
    },
  })
})

test('a refused call changes nothing', async () => {
  const mutations = sessionMatrix.cellsFor(SESSION_CALLERS).filter(isWatched)
  const others = await otherMatrix.refusedChanges()
  const changed = [
    ...(await wrongOf(REFUSED_CHANGES, (cell) => keyMatrix.changesOf(cell))),
    ...(await wrongOf(mutations, (cell) => sessionMatrix.check(cell))),
    ...(await wrongOf(others, (cell) => otherMatrix.check(cell))),
  ]
  progress('the control: each call acts for a permitted caller before it is refused')
  const acting = mutations.filter(({ path }) => !WITHOUT_EFFECT.includes(path))
  const changedFirst = await wrongOf(acting, (cell) => sessionMatrix.check(cell, { actsFirst: true }))
  const othersFirst = await wrongOf(others, (cell) => otherMatrix.check(cell, { actsFirst: true }))
  const actingKeys = REFUSED_CHANGES.filter(({ id }) => !OPERATIONS_WITHOUT_EFFECT.includes(id))
  const keysFirst = await wrongOf(actingKeys, (cell) => keyMatrix.changesOf(cell, { actsFirst: true }))
  const withoutEffect = [
    ...acting.filter((cell) => !changedFirst.includes(cell)),
    ...actingKeys.filter((cell) => !keysFirst.includes(cell)),
  ]
  for (const cell of withoutEffect) progress(`no effect found: ${JSON.stringify(cell)}`)

  prove({
    claim: 'A call that is refused, or that comes from another team, changes nothing of the team.',
    tried:
      'Every mutation of the dashboard was called by each caller that it refuses, and by the owner of another team with ids of this team. ' +
      'Before and after each call, the owner read the team, its members, invitations, settings, mailboxes, number of messages, read marks, keys, endpoints and test deliveries. ' +
      'The same was done with every operation of the REST API that changes something, by each key that it refuses and by a key of another team. ' +
      'Of the other routes, those that end sessions or delete a mail were called by every caller that they refuse.',
    figures: [
      counted(
        'operations',
        sizeOf(REFUSED_CHANGES, ({ id }) => id),
      ),
      counted(
        'operations that change nothing that the owner reads with the input of this run',
        OPERATIONS_WITHOUT_EFFECT.length,
      ),
      counted(
        'mutations',
        sizeOf(mutations, ({ path }) => path),
      ),
      counted('mutations that change nothing of a team at once with the input of this run', WITHOUT_EFFECT.length),
      counted('other routes that end sessions or delete a mail', sizeOf(others, nameOf)),
      counted('refused or foreign calls', REFUSED_CHANGES.length + mutations.length + others.length),
      atMost(0, CHANGED, changed.length),
    ],
    control: {
      tried: 'The same calls to servers that first do what was asked, for a caller who may, and then refuse.',
      figures: [
        atLeast(
          actingKeys.length + acting.length + others.length,
          CHANGED,
          keysFirst.length + changedFirst.length + othersFirst.length,
        ),
        atLeast(
          sizeOf(actingKeys, ({ id }) => id),
          'operations found',
          sizeOf(keysFirst, ({ id }) => id),
        ),
        atLeast(
          sizeOf(acting, ({ path }) => path),
          'mutations found',
          sizeOf(changedFirst, ({ path }) => path),
        ),
        atLeast(
          sizeOf(others, nameOf),
          'other routes found that end sessions or delete a mail',
          sizeOf(othersFirst, nameOf),
        ),
      ],
    },
  })
})

test('ids of another team are answered like ids that do not exist', async () => {
  const compared = await compareAll()
  const ladder: Step[] = []
  for (const delay of DELAYS) {
    faults.forForeignIds = delay
    ladder.push({ delay, delayed: await compareAll() })
  }
  const shorter = ladder.slice(0, -1)
  const longest = ladder.at(-1)!
  const shortest = ladder.find(({ delayed }) => foundIn(delayed) >= delayed.length * FOUND_SHARE)
  faults.forForeignIds = 'other answer'
  const different = await compareAll({ samples: 1 })
  faults.forForeignIds = 'nothing'

  prove({
    claim:
      'The id of another team gets the same response as an id that does not exist: status, headers, body and time.',
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
      tried:
        `The same with ids of another team that take ${DELAYS.join(', ')} µs longer, and once with another response for them. ` +
        `A delay is found if at least ${FOUND_SHARE * 100} % of the routes and procedures show it.`,
      figures: [
        atLeast(different.length, OTHER_ANSWER, withOtherAnswer(different)),
        atLeast(AUC_DISTANCE_CONTROL_MIN, AUC_DISTANCE, largestDistance(longest.delayed)),
        ...shorter.map((step) => counted(showing(step), foundIn(step.delayed))),
        atLeast(Math.floor(longest.delayed.length * FOUND_SHARE), showing(longest), foundIn(longest.delayed)),
        ...(shortest ? [counted('shortest delay that is found', shortest.delay, 'µs')] : []),
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
  const doors = await findInDoors((matrix) => matrix.cellsFor(['no credentials', 'an unknown key']))
  faults.confusesCallers = false
  const doorLeaks = await findDoorLeaks()
  const found = {
    operations: sizeOf(operations, ({ id }) => id),
    procedures: sizeOf(procedures, ({ path }) => path),
    others: sizeOf(others, nameOf),
    leaks: leaks.length,
    shown: shown.length,
    doors: doors.length,
    doorLeaks: doorLeaks.length,
  }
  const byDoors = doors.length + doorLeaks.length
  const wrong = operations.length + procedures.length + others.length + leaks.length + shown.length + byDoors
  return { ...found, wrong }
}

type DoorMatrix = (typeof doorMatrices)[number]

/** The names of the routes for which a cell was answered wrongly, with the entry. */
async function findInDoors(cellsOf: (matrix: DoorMatrix) => ReturnType<DoorMatrix['cellsFor']>): Promise<string[]> {
  const found = new Set<string>()
  for (const matrix of doorMatrices) {
    for (const { entry, name } of await wrongOf(cellsOf(matrix), matrix.check)) {
      found.add(`${matrix.peer} ${entry} ${name}`)
    }
  }
  return Array.from(found)
}

/** What a key of another team can do with our messages, if it is treated as one of ours. */
async function findDoorLeaks(): Promise<string[]> {
  const leaks: string[] = []
  for (const { team, peer } of doorMatrices) {
    faults.sharedTeamId = team.id
    // The first call shows the faulty server which team this is.
    const ofPeer = (matrix: DoorMatrix) =>
      matrix.peer === peer ? matrix.cellsFor(['an api.full key', 'a key of another team'], ['API']) : []
    leaks.push(...(await findInDoors(ofPeer)))
  }
  faults.sharedTeamId = null
  return leaks
}

/** Whether it makes a difference for the response or its effect who sees the message. */
function isAboutMessage({ isShowing, isChanging, status = 200, outsider = status }: DoorRow): boolean {
  return isShowing === true || isChanging === true || outsider !== status
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
    ...(await Promise.all(doorMatrices.map(async ({ url, idRequests }) => [url, await idRequests()] as const))),
  ] as const) {
    for (const request of requests) {
      compared.push(await compareIds(url, request, { random, samples }))
      progress(`${request.name}: AUC ${compared.at(-1)!.auc.toFixed(3)}`)
    }
  }
  return compared
}

/** The comparisons with an injected delay of so many microseconds. */
type Step = { delay: number; delayed: Comparison[] }

const foundIn = (all: Comparison[]) => all.filter(({ auc }) => Math.abs(auc - 0.5) > AUC_DISTANCE_MAX).length
const showing = ({ delay }: Step) => `routes and procedures with ids that show a delay of ${delay} µs`
const sizeOf = <One>(all: One[], name: (one: One) => string) => new Set(all.map(name)).size
const nameOf = ({ program, name }: { program: string; name: string }) => `${program} ${name}`
const withOtherAnswer = (all: Comparison[]) => all.filter(({ isSameAnswer }) => !isSameAnswer).length
const largestDistance = (all: Comparison[]) => Math.max(...all.map(({ auc }) => Math.abs(auc - 0.5)))
