import { join } from 'node:path'
import { test } from 'vitest'
import { allInOne, apart, folderStorage, type Installation } from '../crash/installations.ts'
import { everyStage, omittedFrom, type Poison } from '../poison/planned-poison.ts'
import { LATE_MS, runPoison, type PoisonReport } from '../poison/poison-run.ts'
import { changesOf } from '../poison/stages.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, none, progress, prove, SEED, some } from './proof.ts'

/** Three attempts of a mail that hangs take half a minute, and as long again on a busy machine. */
const PATIENCE_MS = 120_000
/** What is taken away never happens. */
const CONTROL_PATIENCE_MS = 40_000
/** PROVE_POISON_ENDS shortens a trial, which is not written to the page: so many mails end a program of each installation. */
const ENDS_MAX = Number(process.env['PROVE_POISON_ENDS'] ?? Infinity)
/** Passes nothing of a mail, so that it cannot fail. */
const NO_STAGE = 'feed.neverCalled'

const CHANGED = 'stages that are missing or new'
const UNHARMED = 'harmful messages whose stage never failed, or fewer than three times before they were set aside'
const WRONG = 'harmful messages that were neither set aside after three failures nor delivered as expected'
const UNLISTED = 'messages set aside without the same reason in the admin API and /v1/rejections'
const UNRETRIED = "messages set aside that the operator's retry did not deliver"
const LATE = `other messages lost, or readable later than ${LATE_MS / 1_000} s after they were sent`

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
    runControl('careless-set-aside', [
      { stage: 'store.addMessage', kind: 'throw' },
      { stage: NO_STAGE, kind: 'throw' },
    ]),
    ...ARRANGEMENTS.map(async ({ name, arrange }, index) =>
      runPoison({
        installation: await arrange(),
        choose(stages) {
          const { gentle, ending } = everyStage(stages, { seed: SEED, half: halves[index]! })
          return [...gentle, ...ending.slice(0, ENDS_MAX)]
        },
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
  const { all, elsewhere, nowhere } = omittedFrom(found.stages, found.tried)
  prove({
    claim:
      `Mail that makes parsing or intake throw, hang or run out of memory is set aside after three attempts, or delivered as far as it can be read: ${name}. ` +
      `Other mail is stored within ${LATE_MS / 1_000} s.`,
    tried:
      'A stage is a function of another module that parsing, the announcement or intake calls with a part of the mail, or a function of the store or the feed that intake calls. ' +
      `The ${found.stages.length} stages were found by recording the calls of a mail. Functions of the worker for its own keys and records are no stages. ` +
      'Each stage throws on a mail of its own. Each that waits never responds. Each in the thread of the parser also blocks it and runs out of memory. ' +
      'What ends the program is divided between the two installations: each stage in the main thread blocks it in one of them and runs out of memory in the other. ' +
      'A stage that waits runs out of memory in one of them. The program is restarted whenever it ends. ' +
      `Of ${all} combinations of stage and kind, these are tried only in the other installation: ${elsewhere.join(', ')}. ` +
      `These are tried in neither, because the only wait of the stage has a deadline: ${nowhere.join(', ')}. ` +
      'For half of the groups that do not end the program, the program that receives mail is killed with kill -9 between attempts. ' +
      'Ten other messages arrive per second. At the end, the fault is gone, and an operator retries what was set aside.',
    figures: [
      counted('stages', found.stages.length),
      none(CHANGED, changesOf(found.stages)),
      counted('harmful messages, each for another stage and kind', found.tried.length),
      none(UNHARMED, found.unharmed),
      counted('harmful messages set aside after exactly three failures', found.setAside),
      counted(
        'harmful messages delivered, because the fault was after the message was stored, on only one of two paths, or in parsing',
        found.delivered,
      ),
      atLeast(found.ending, 'times that a program ended', found.ends),
      none(WRONG, found.wrong),
      none(UNLISTED, found.unlisted),
      none(UNRETRIED, found.unretried),
      counted('other messages accepted', found.other.accepted),
      counted('longest time from sending another message to reading it', found.other.longestMs, 'ms'),
      atMost(0, LATE, found.other.late),
    ],
    control: {
      tried:
        'Two programs, both all-in-one on SQLite. In one, no failure counts against a mail, and the program does not notice that it is stuck. It gets a mail that it cannot store and one that blocks it. ' +
        'The other reports another reason to the API and confirms a retry without making it. It also gets a mail for a stage that does not exist. The list of stages is compared without its first.',
      figures: [
        some(CHANGED, changesOf(found.stages.slice(1))),
        some(UNHARMED, careless.unharmed),
        some(WRONG, uncounted.wrong),
        atLeast(1, LATE, uncounted.other.late),
        some(UNLISTED, careless.unlisted),
        some(UNRETRIED, careless.unretried),
      ],
    },
  })
}
