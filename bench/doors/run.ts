import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, watchOtherWork } from '../machine.ts'
import { peerFrom } from '../peers/catalog.ts'
import { mailhatchAs } from '../peers/installed-peers.ts'
import { RECIPIENT, RECIPIENTS, SMALL_REUSED } from '../peers/scenarios.ts'
import { Trial } from '../peers/trial.ts'
import { build } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { formatFigure, MAILHATCH } from '../results.ts'
import { median, perSecond } from '../statistics.ts'

const ROUNDS = 5
const ROUNDS_MAX = 50
const SIZES = [1_000, 5_000, 10_000]
const SAMPLE_MS = 2_000
const WARM_UP_MS = 1_000
/** With more, answers that take long together exceed the limits of Mailpit on a busy machine. */
const CONNECTIONS = 4
/** How many times as fast as Mailpit the newest mail of an address is found, among the most messages. */
const LATEST_RATIO_MIN = 5

const HELP = `Compares Mailhatch, asked through Mailpit's API, with Mailpit: the same mail, the same requests, both programs running.

Usage: node --conditions=mailhatch-source bench/doors/run.ts --mailpit <file> [options]

  --mailpit <file>  The program.
  --rounds <n>      Rounds for each size, in each of which both have their turn. Default: ${ROUNDS}, at most ${ROUNDS_MAX}.
  --sizes <a,b>     Stored messages. Default: ${SIZES.join(',')}.
  --help            This text.

Fails if the newest mail of an address, searched among the most messages, is found less than ${LATEST_RATIO_MIN} times as fast as by Mailpit.
A run with the defaults takes seven minutes and writes bench/doors/report.md; other runs are only printed. Do not use the machine for anything
else meanwhile.
`

const { values } = parseArgs({
  options: {
    mailpit: { type: 'string' },
    rounds: { type: 'string', default: String(ROUNDS) },
    sizes: { type: 'string', default: SIZES.join(',') },
    help: { type: 'boolean', default: false },
  },
})
const { mailpit } = values
if (values.help || mailpit === undefined) {
  console.log(HELP)
  process.exit(values.help ? 0 : 2)
}
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
  throw new Error(`--rounds must be a number from 1 to ${ROUNDS_MAX}.`)
}
const sizes = values.sizes.split(',').map(Number)
if (!sizes.every((size, index) => Number.isInteger(size) && size > (sizes[index - 1] ?? RECIPIENTS - 1))) {
  throw new Error(`--sizes must be growing numbers from ${RECIPIENTS} on.`)
}

build()

/** What is polled for. The digits of the address change from request to request, unless it is `one`. */
const LATEST_QUESTIONS: Record<string, (trial: Trial) => string> = {
  'latest of one address': (trial) => trial.latestOf(1),
  [`latest of ${RECIPIENTS} addresses`]: (trial) => trial.latestOf('each'),
}
const QUESTIONS: Record<string, (trial: Trial) => string> = {
  ...LATEST_QUESTIONS,
  'search for an address in all text': (trial) => trial.running.search!(RECIPIENT),
  'search for a word of all mails': (trial) => trial.running.search!('delivery'),
  'search for a word of no mail': (trial) => trial.running.search!('elsewhere'),
}

type Row = { question: string; size: number; ours: number; theirs: number; ratio: number }

async function measureAt(size: number, ours: Trial, theirs: Trial): Promise<Row[]> {
  const rows: Row[] = []
  for (const [question, requestFor] of Object.entries(QUESTIONS)) {
    const figures = new Map<Trial, number[]>([
      [ours, []],
      [theirs, []],
    ])
    const ask = async (trial: Trial, durationMs: number) => {
      const load = { request: requestFor(trial), durationMs, freshBelow: RECIPIENTS, connections: CONNECTIONS }
      try {
        const { answers, elapsedMs } = await trial.poll(load)
        return perSecond(answers, elapsedMs)
      } catch (cause) {
        throw new Error(`${trial.running.name} failed: ${question}`, { cause })
      }
    }
    for (const trial of [ours, theirs]) await ask(trial, WARM_UP_MS)
    for (let round = 0; round < rounds; round++) {
      // The first is not always measured on the warmer machine.
      const turns = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
      for (const trial of turns) figures.get(trial)!.push(await ask(trial, SAMPLE_MS))
    }
    const ratios = figures.get(ours)!.map((value, round) => value / figures.get(theirs)![round]!)
    const row = {
      question,
      size,
      ours: median(figures.get(ours)!),
      theirs: median(figures.get(theirs)!),
      ratio: median(ratios),
    }
    console.log(`${size}, ${question}: ${[row.ours, row.theirs, row.ratio].map(formatFigure).join(' ')}`)
    rows.push(row)
  }
  return rows
}

const otherWork = watchOtherWork()
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-doors-'))
process.on('exit', () => removeFolder(folder))
try {
  const rows: Row[] = []
  await Trial.of(peerFrom('mailpit', mailpit), folder, (theirs) =>
    Trial.of(mailhatchAs('mailpit'), folder, async (ours) => {
      let stored = 0
      for (const size of sizes) {
        for (const trial of [ours, theirs]) await trial.send(SMALL_REUSED, { mailsMax: size - stored })
        stored = size
        rows.push(...(await measureAt(size, ours, theirs)))
      }
    }),
  )
  const { node, platform, cores, processor, memoryGigabytes } = describeMachine()
  const table = rows.map(({ question, size, ours, theirs, ratio }) =>
    [question, size.toLocaleString('en-US'), ...[ours, theirs, ratio].map(formatFigure)].join(' | '),
  )
  const report = `# ${MAILHATCH}, asked through Mailpit's API, and Mailpit

Generated by \`bench/doors/run.ts\`. Node ${node}, ${platform}, ${cores} cores (${processor}), ${memoryGigabytes} GB. The same mail of 2 kB and the same
requests over ${CONNECTIONS} connections; answers per second. Both programs run, and in each of ${rounds} rounds both have their turn; the ratio is the median of those of
the rounds. ${otherWork().join(' ')}

| | messages | ${MAILHATCH} | Mailpit | ratio |
| --- | --- | --- | --- | --- |
${table.map((row) => `| ${row} |`).join('\n')}
`
  if (rounds === ROUNDS && values.sizes === SIZES.join(',')) {
    writeFileSync(new URL('report.md', import.meta.url), report)
  }
  console.log(`\n${report}`)
  for (const { question, size, ratio } of rows.filter((row) => row.size === sizes.at(-1))) {
    if (!(question in LATEST_QUESTIONS)) continue
    const isMet = ratio >= LATEST_RATIO_MIN
    console.log(
      `${isMet ? 'Met' : 'MISSED'}: ${question}, ${size} messages: ${formatFigure(ratio)} × Mailpit, at least ${LATEST_RATIO_MIN}`,
    )
    if (!isMet) process.exitCode = 1
  }
} finally {
  await stopPrograms()
}
