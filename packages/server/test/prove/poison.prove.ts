import { join } from 'node:path'
import { test } from 'vitest'
import { allInOne, apart, folderStorage, type Installation } from '../crash/installations.ts'
import { everyStage, LATE_MS, runPoison, type Poison, type PoisonReport } from '../poison/poison-run.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/** Three attempts of a mail that hangs take half a minute, and as long again on a busy machine. */
const PATIENCE_MS = 120_000
/** What is taken away never happens. */
const CONTROL_PATIENCE_MS = 40_000
/** Functions of intake, the store and the worker that get something of a mail. */
const STAGES_MIN = 15

const WRONG = 'harmful mail that ended otherwise'
const UNLISTED = 'set aside without the same reason in the admin API and /v1/rejections'
const UNRETRIED = 'not delivered by the operator'
const LATE = `other mail lost, or later than ${LATE_MS / 1_000} s`

const postgres = ownPostgres()

const ARRANGEMENTS: { name: string; arrange: () => Promise<Installation> }[] = [
  { name: 'all-in-one on SQLite', arrange: () => allInOne() },
  {
    name: 'worker and API apart, on PostgreSQL',
    arrange: async () =>
      apart({ databaseUrl: await postgres.database(), storage: folderStorage(join(temporaryFolder(), 'mail')) }),
  },
]

test('mail that fails at a stage harms only itself', async () => {
  const halves = [0, 1] as const
  const [uncounted, careless, ...reports] = await Promise.all([
    runControl('without-set-aside', [
      { stage: 'store.addMessage', kind: 'throw' },
      { stage: 'intake/new-message.findCodes', kind: 'hang' },
    ]),
    runControl('careless-set-aside', [{ stage: 'store.addMessage', kind: 'throw' }]),
    ...ARRANGEMENTS.map(async ({ name, arrange }, index) =>
      runPoison({
        installation: await arrange(),
        choose: (stages) => everyStage(stages, { seed: SEED, half: halves[index]! }),
        patienceMs: PATIENCE_MS,
        onProgress: (text) => progress(`${name}: ${text}`),
      }),
    ),
  ])
  const results = await Promise.allSettled(
    ARRANGEMENTS.map(async ({ name }, index) => proveOne(name, reports[index]!, { uncounted, careless })),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
})

async function runControl(preload: string, poisons: Poison[]): Promise<PoisonReport> {
  return runPoison({
    installation: await allInOne(),
    choose: () => [{ poisons, isRestarted: false }],
    preloads: [preload],
    patienceMs: CONTROL_PATIENCE_MS,
  })
}

type Controls = { uncounted: PoisonReport; careless: PoisonReport }

function proveOne(name: string, found: PoisonReport, { uncounted, careless }: Controls): void {
  console.info(name, found, 'controls', uncounted, careless)
  prove({
    claim: `A mail that makes parsing or intake throw, hang or run out of memory is set aside after three attempts, or delivered as far as it can be read, and other mail is not affected: ${name}.`,
    tried:
      `Every function that parsing, the announcement and intake call with a part of the mail, ${found.stages.length} of them, found by recording the calls of a mail: each throws on a mail of its own; each that waits never responds; ` +
      `in the parser's thread each also blocks and runs out of memory; of those in the main thread, half block it and half run out of memory, so that the program ends and is restarted: those that block it in one installation run out of memory in the other. ` +
      'For half of the other groups, the program that receives mail is also killed with kill -9 between attempts. Ten other messages arrive per second. At the end, the fault is gone, and an operator retries what was set aside.',
    figures: [
      atLeast(STAGES_MIN, 'stages', found.stages.length),
      counted('harmful messages', found.tried),
      counted('set aside after exactly three attempts', found.setAside),
      counted(
        'delivered, because the fault was after the message was stored, on only one of two paths, or in parsing',
        found.delivered,
      ),
      atLeast(found.ending, 'times that a program ended', found.ends),
      atMost(0, WRONG, found.wrong.length),
      atMost(0, UNLISTED, found.unlisted),
      atMost(0, UNRETRIED, found.unretried),
      counted('other messages accepted', found.other.accepted),
      counted('longest time from sending another mail to reading it', found.other.longestMs, 'ms'),
      atMost(0, LATE, found.other.late),
    ],
    control: {
      tried:
        'A program in which no failure counts against a mail and which does not notice that it is stuck, with a mail that it cannot store and one that blocks it; and one that reports another reason to the API and confirms a retry without making it. Both are the all-in-one program on SQLite.',
      figures: [
        atLeast(1, WRONG, uncounted.wrong.length),
        atLeast(1, LATE, uncounted.other.late),
        atLeast(1, UNLISTED, careless.unlisted),
        atLeast(1, UNRETRIED, careless.unretried),
      ],
    },
  })
}
