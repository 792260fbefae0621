import { join } from 'node:path'
import { test } from 'vitest'
import { allInOne, apart, folderStorage, type Installation } from '../crash/installations.ts'
import { LATE_MS, runPoison, type PoisonReport } from '../poison/poison-run.ts'
import { ownPostgres } from '../replicas/own-postgres.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

/** Per installation and kind: stages that block or end a program, which takes half a minute each. */
const ENDINGS = Number(process.env['POISON_ENDINGS'] ?? 1)
/** Three attempts of a mail that hangs take half a minute, and as long again on a busy machine. */
const PATIENCE_MS = 120_000
/** What is taken away never happens. */
const CONTROL_PATIENCE_MS = 40_000
/** Functions of intake, the store and the worker that get something of a mail. */
const STAGES_MIN = 15

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
  const [reports, control] = await Promise.all([
    Promise.all(
      ARRANGEMENTS.map(async ({ name, arrange }) =>
        runPoison({
          installation: await arrange(),
          seed: SEED,
          endings: ENDINGS,
          patienceMs: PATIENCE_MS,
          onProgress: (text) => progress(`${name}: ${text}`),
        }),
      ),
    ),
    runControl(),
  ])
  ARRANGEMENTS.forEach(({ name }, index) => proveOne(name, reports[index]!, control))
})

/** A mail that intake cannot store, and one that blocks the program. */
async function runControl(): Promise<PoisonReport> {
  return runPoison({
    installation: await allInOne(),
    seed: SEED,
    endings: 0,
    preloads: ['without-set-aside'],
    stages: () => [
      { stage: 'store.addMessage', kind: 'throw' },
      { stage: 'intake/new-message.findCodes', kind: 'hang' },
    ],
    patienceMs: CONTROL_PATIENCE_MS,
  })
}

function proveOne(name: string, found: PoisonReport, control: PoisonReport): void {
  console.info(name, found, 'control', control)
  prove({
    claim: `A mail that makes parsing or intake throw, hang or run out of memory is set aside after three tries, or delivered as far as it can be read, and other mail is not affected: ${name}.`,
    tried:
      `Every function that parsing, the announcement and intake call with a part of the mail, ${found.stages.length} of them, found by recording the calls of a mail: each throws on a mail of its own; each that waits never responds; ` +
      `in the parser's thread each also blocks and runs out of memory; and ${ENDINGS} of those in the main thread, chosen by the seed, block it, and ${ENDINGS} run out of memory, so that the program ends and is restarted. ` +
      'Half of the others also see a kill -9 of the program that receives mail in between. Ten other mails arrive per second. At the end, the fault is gone, and an operator retries what was set aside.',
    figures: [
      atLeast(STAGES_MIN, 'stages', found.stages.length),
      counted('harmful mails', found.tried),
      counted('set aside after exactly three tries', found.setAside),
      counted(
        'delivered, because the fault was after the message was stored, on one way only or in parsing',
        found.delivered,
      ),
      counted('times that a program ended', found.ends),
      atMost(0, 'harmful mails that ended otherwise', found.wrong.length),
      atMost(0, 'set aside without the same reason in the admin API and /v1/rejections', found.unlisted),
      atMost(0, 'not delivered by the operator', found.unretried),
      counted('other mails accepted', found.other.accepted),
      counted('longest time from sending another mail to reading it', found.other.longestMs, 'ms'),
      atMost(0, `other mails lost, or later than ${LATE_MS / 1_000} s`, found.other.late),
    ],
    control: {
      tried:
        'A program in which no failure counts against a mail and which does not notice that it is stuck, with a mail that it cannot store and one that blocks it. The operator retries while the faults are still there.',
      figures: [
        atLeast(1, 'harmful mails that ended otherwise', control.wrong.length),
        atLeast(1, 'set aside without the same reason in the admin API and /v1/rejections', control.unlisted),
        atLeast(1, 'not delivered by the operator', control.unretried),
        atLeast(1, `other mails lost, or later than ${LATE_MS / 1_000} s`, control.other.late),
      ],
    },
  })
}
