// Runs the parts of packages/server/test/prove/ and writes docs/operate/reliability.md.
import { spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from '../bench/machine.ts'
import { PARTS, type Part } from '../packages/server/test/prove/parts.ts'
import type { Proof, ResultLine } from '../packages/server/test/prove/proof.ts'
import { reliabilityPage, type PartResult, type Results } from '../packages/server/test/prove/reliability-page.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const RESULTS = join(ROOT, 'docs/operate/reliability.json')
const PAGE = join(ROOT, 'docs/operate/reliability.md')
const PROGRESS_EVERY_MS = 1_000

const HELP = `Shows that no accepted mail is lost and that no caller gets more than it may, and writes docs/operate/reliability.md.

Usage: npm run prove -- [options]

  --only <a,b>   Only these parts. Results of other parts stay on the page.
  --seed <n>     Repeat the random values of an earlier run. Default: a random seed, which is printed.
  --list         The parts, and how long they take.
  --help         This text.

Run it as root on Linux: the power cut mounts a disk image, and full disks are small file systems. It takes about an hour
on two cores, during which the machine should do nothing else.
`

type Options = { parts: Part[]; seed: number }

const options = readOptions()
if (options) await run(options)

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string' },
        seed: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) console.log(HELP)
    else if (values.list) console.log(PARTS.map(listed).join('\n'))
    else return { parts: chosen(values.only), seed: seedFrom(values.seed) }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`)
    process.exitCode = 2
  }
  return null
}

function listed({ name, title, minutes, isOnlyByName }: Part): string {
  return `${name.padEnd(12)} ${title} (about ${minutes} min${isOnlyByName ? ', only with --only' : ''})`
}

function chosen(only: string | undefined): Part[] {
  if (only === undefined) return PARTS.filter(({ isOnlyByName }) => !isOnlyByName)
  return only.split(',').map((name) => {
    const part = PARTS.find((candidate) => candidate.name === name)
    if (!part) throw new Error(`There is no part "${name}". Parts: ${PARTS.map((known) => known.name).join(', ')}.`)
    return part
  })
}

function seedFrom(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * 2 ** 31)
  const seed = Number(text)
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) throw new Error('--seed is a whole number below 2^32.')
  return seed
}

async function run({ parts, seed }: Options): Promise<void> {
  console.log(`Seed ${seed}. ${parts.length} parts, about ${parts.reduce((sum, { minutes }) => sum + minutes, 0)} min.`)
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-prove-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'logs'))
  for (const [index, part] of parts.entries()) {
    console.log(`\n[${index + 1}/${parts.length}] ${listed(part)}`)
    const result = await runPart(part, { seed, folder })
    console.log(`${part.name}: ${result.outcome} after ${Math.round(result.seconds)} s`)
    if (result.outcome !== 'shown') process.exitCode = 1
    keep(part, result)
  }
  console.log(`\ndocs/operate/reliability.md is written.${process.exitCode ? ' NOT everything was shown.' : ''}`)
}

/** The folder collects the results of the part and, of all parts, the logs of the programs that they start. */
async function runPart({ name }: Part, { seed, folder }: { seed: number; folder: string }): Promise<PartResult> {
  const file = join(folder, `${name}.results`)
  writeFileSync(file, '')
  const startedAt = performance.now()
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const given = [
    'run',
    '--config',
    'vitest.prove.config.ts',
    '--silent=true',
    `packages/server/test/prove/${name}.prove.ts`,
  ]
  const child = spawn(process.execPath, [vitest, ...given], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PROVE_RESULTS: file, PROVE_SEED: String(seed), PROVE_LOGS: join(folder, 'logs') },
  })
  const shown = showProgress(file)
  const [code] = await once(child, 'exit')
  shown.stop()
  const proofs = linesIn(file).flatMap((line) => ('proof' in line ? [line.proof] : []))
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  return { ...where(), seed, seconds, outcome: outcomeOf(code, proofs), proofs }
}

function outcomeOf(code: number | null, proofs: Proof[]): PartResult['outcome'] {
  if (code !== 0) return 'failed'
  return proofs.length === 0 ? 'void' : 'shown'
}

function where(): Pick<PartResult, 'date' | 'commit' | 'machine'> {
  const git = (...given: string[]) => execFileSync('git', given, { cwd: ROOT, encoding: 'utf8' }).trim()
  // The results of earlier parts are no change of the product.
  const isChanged = git('status', '--porcelain', '--', '.', ':!docs/operate/reliability.*') !== ''
  const commit = `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  return { date: new Date().toISOString().slice(0, 10), commit, machine: describeMachine() }
}

function linesIn(file: string): ResultLine[] {
  // A line that is still being written has no end yet.
  const whole = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return whole.map((line) => JSON.parse(line))
}

function showProgress(file: string): { stop: () => void } {
  let shown = 0
  function show(): void {
    const lines = linesIn(file)
    for (const line of lines.slice(shown)) if ('progress' in line) console.log(`  ${line.progress}`)
    shown = lines.length
  }
  const timer = setInterval(show, PROGRESS_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      show()
    },
  }
}

/** After each part, so that an interrupted run keeps what it has shown. */
function keep({ name }: Part, result: PartResult): void {
  const known: Results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
  const results = { ...known, [name]: result }
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(PAGE, reliabilityPage(results))
}
