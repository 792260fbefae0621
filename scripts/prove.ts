// Runs the parts of packages/server/test/prove/ and writes docs/operate/reliability.md.
import { spawn, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { describeMachine } from '../bench/machine.ts'
import { missing } from '../packages/server/test/prove/needs.ts'
import { inLanes, lengthOf, PARTS, type Part } from '../packages/server/test/prove/parts.ts'
import { judge } from '../packages/server/test/prove/judge.ts'
import type { ResultLine } from '../packages/server/test/prove/proof.ts'
import { reliabilityPage, type PartResult, type Results } from '../packages/server/test/prove/reliability-page.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const RESULTS = join(ROOT, 'docs/operate/reliability.json')
const PAGE = join(ROOT, 'docs/operate/reliability.md')
const PROGRESS_EVERY_MS = 1_000
/** A part that takes this many times as long as it should does not end by itself. */
const PATIENCE = 4
/** Ended by SIGINT or SIGTERM, as shells say it. */
const EXIT_INTERRUPTED = 130

const HELP = `Shows that no accepted mail is lost and that no caller gets more than it may, and writes docs/operate/reliability.md.

Usage: npm run prove -- [options]

  --only <a,b>   Only these parts. Results of other parts stay on the page.
  --seed <n>     Repeat the random values of an earlier run. Default: a random seed, which is printed.
  --list         The parts, and how long they take.
  --help         This text.

Run it as root on Linux: the power cut mounts a disk image, and full disks are small file systems. As root it installs
Debian's package of Chromium if there is no Chromium. Two parts run at once. It takes about an hour on two cores, during which the machine should
do nothing else. After Ctrl-C, the results of the parts that have ended are kept.
`

type Options = { parts: Part[]; seed: number }

/** Ends of the parts that are running. */
const running = new Set<() => void>()

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
  const names = only.split(',')
  const unknown = names.find((name) => !PARTS.some((part) => part.name === name))
  if (unknown !== undefined) {
    throw new Error(`There is no part "${unknown}". Parts: ${PARTS.map(({ name }) => name).join(', ')}.`)
  }
  return PARTS.filter(({ name }) => names.includes(name))
}

function seedFrom(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * 2 ** 31)
  const seed = Number(text)
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) throw new Error('--seed is a whole number below 2^32.')
  return seed
}

async function run({ parts, seed }: Options): Promise<void> {
  console.log(`Seed ${seed}. ${parts.length} parts, about ${lengthOf(parts)} min.`)
  for (const part of parts) {
    const without = missing(part.needs ?? [])
    if (without.length > 0) console.log(`Not possible here: ${part.name}, which needs ${without.join(', ')}.`)
  }
  const changing = Object.keys(process.env).filter((name) => name.startsWith('PROVE_'))
  if (changing.length > 0)
    console.log(`${changing.join(', ')} changes the run: it is printed, and not written to the page.`)
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-prove-'))
  // PostgreSQL runs there as another user.
  chmodSync(folder, 0o711)
  mkdirSync(join(folder, 'tmp'), { mode: 0o711 })
  process.on('exit', () => removeAll(folder))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt)
  const results: Results = {}
  const startedAt = performance.now()
  await inLanes(parts, async (part) => {
    console.log(`\n[${parts.indexOf(part) + 1}/${parts.length}] ${listed(part)}`)
    const earlier = Object.keys(results).filter((name) => results[name]!.outcome !== 'not possible')
    const result = await runPart(part, { seed, folder, earlier })
    results[part.name] = result
    console.log(`${part.name}: ${result.outcome} after ${Math.round(result.seconds)} s`)
    if (result.outcome !== 'passed') process.exitCode = 1
    if (changing.length === 0) keep(part, result)
  })
  const written =
    changing.length === 0 ? 'docs/operate/reliability.md is written.' : `${reliabilityPage(results)}\nNOT written.`
  const minutes = Math.round((performance.now() - startedAt) / 60_000)
  console.log(`\n${written}${process.exitCode ? ' NOT everything passed.' : ''} It took ${minutes} min.`)
}

type RunOptions = { seed: number; folder: string; earlier: string[] }

/**
 * The folder has the results of the part, the logs of all programs that the parts start, and their temporary files.
 * `earlier`: the parts that have run there.
 */
async function runPart(part: Part, { seed, folder, earlier }: RunOptions): Promise<PartResult> {
  const without = missing(part.needs ?? [])
  if (without.length > 0) {
    const reasons = [`It needs ${without.join(', ')}.`]
    return { ...where(), seed, seconds: 0, outcome: 'not possible', reasons, proofs: [] }
  }
  const before = where()
  const file = join(folder, `${part.name}.results`)
  writeFileSync(file, '')
  const logs = join(folder, 'logs', part.name)
  mkdirSync(logs, { recursive: true })
  const startedAt = performance.now()
  const shown = showProgress(part.name, file)
  const { code, isLate } = await runVitest(part, {
    TMPDIR: join(folder, 'tmp'),
    PROVE_RESULTS: file,
    PROVE_SEED: String(seed),
    PROVE_LOGS: logs,
    ...(earlier.length > 0 && { PROVE_EARLIER_PARTS: earlier.join() }),
  })
  shown.stop()
  const lines = linesIn(file)
  const proofs = lines.flatMap((line) => ('proof' in line ? [line.proof] : []))
  const reasons = lines.flatMap((line) => ('failure' in line ? [line.failure] : []))
  if (isLate) reasons.push(`It was ended after ${PATIENCE} times the ${part.minutes} min that it takes.`)
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  const { commit } = where()
  if (commit !== before.commit)
    reasons.push(`The source was ${before.commit} when it began, and ${commit} when it ended.`)
  return { ...before, seed, seconds, ...judge(part, { code, proofs, reasons }), proofs }
}

/** In its own process group, so that whatever it has started ends with it. */
async function runVitest({ name, minutes }: Part, settings: Record<string, string>) {
  const file = `packages/server/test/prove/${name}.prove.ts`
  const given = ['run', '--config', 'vitest.prove.config.ts', '--silent=passed-only', file]
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), ...given], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    env: { ...process.env, ...settings },
  })
  const end = () => endGroup(child.pid!)
  running.add(end)
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      end()
    },
    PATIENCE * minutes * 60_000,
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  running.delete(end)
  end()
  return { code, isLate }
}

function interrupt(): void {
  for (const end of running) end()
  console.log('\nInterrupted. The results of the parts that have ended are kept.')
  process.exit(EXIT_INTERRUPTED)
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

/** Disks that a part has mounted there, too. */
function removeAll(folder: string): void {
  const mounts = existsSync('/proc/self/mounts') ? readFileSync('/proc/self/mounts', 'utf8').split('\n') : []
  const mounted = mounts.map((line) => line.split(' ')[1] ?? '').filter((path) => path.startsWith(`${folder}/`))
  for (const path of mounted) execFileSync('umount', ['--lazy', path])
  rmSync(folder, { recursive: true, force: true })
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

function showProgress(name: string, file: string): { stop: () => void } {
  let shown = 0
  function show(): void {
    const lines = linesIn(file)
    for (const line of lines.slice(shown)) if ('progress' in line) console.log(`  ${name}: ${line.progress}`)
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
