import type { Machine } from '../../../../bench/machine.ts'
import { PARTS, type Part } from './parts.ts'
import { isKept, type Figure, type Proof } from './proof.ts'

/** The last result of a part. */
export type PartResult = {
  date: string
  commit: string
  machine: Machine
  /** Of the run. A part may draw nothing from it. */
  seed: number
  seconds: number
  outcome: 'passed' | 'failed' | 'not possible'
  /** Why it failed, or what is missing here. */
  reasons: string[]
  proofs: Proof[]
}

/** By the part's name. */
export type Results = Record<string, PartResult>

const OUTCOMES: Record<PartResult['outcome'], string> = {
  passed: 'passed',
  failed: '**FAILED**',
  'not possible': '**not possible** where it ran',
}

/** The page docs/operate/reliability.md. */
export function reliabilityPage(results: Results): string {
  return [
    '# Reliability',
    '',
    '`npm run prove` writes this page: what was tried, and what was found. To repeat it on your machine:',
    '',
    '```sh',
    'npm ci && npm run prove              # everything but the soak, about an hour on two cores',
    'npm run prove -- --only kill         # one part; the other results stay as they are',
    'npm run prove -- --list              # the parts',
    '```',
    '',
    'Every figure with an upper limit has a control: the same check in the same run, where the protection was taken away by fault injection and',
    'the figure has to exceed its limit. A part fails if its control finds nothing. `--seed <n>` repeats the random values of a run.',
    '',
    summaryOf(results),
    '',
    '| part | result | date | commit | seed | took |',
    '|---|---|---|---|---|---|',
    ...PARTS.map((part) => overviewRow(part, results[part.name])),
    '',
    ...PARTS.flatMap((part) => section(part, results[part.name])),
    ...machines(results),
    '',
  ].join('\n')
}

/** How many parts had which outcome, and whether one commit had all of them. */
function summaryOf(results: Results): string {
  const run = PARTS.flatMap(({ name }) => results[name] ?? [])
  const count = (wanted: PartResult['outcome']) => run.filter(({ outcome }) => outcome === wanted).length
  const counts =
    `Of ${PARTS.length} parts, ${count('passed')} passed, ${count('failed')} failed, ` +
    `${count('not possible')} not possible where they ran, and ${PARTS.length - run.length} not run`
  return `**${counts}${commitsOf(run)}.**`
}

function commitsOf(run: PartResult[]): string {
  const commits = [...new Set(run.map(({ commit }) => commit))]
  if (commits.length === 0) return ''
  const [only] = commits
  return commits.length === 1
    ? `; all results are of one commit, ${only}`
    : `; the results are NOT of one commit, but of ${commits.length}: ${commits.join(', ')}`
}

function overviewRow({ name, title, isUnseeded }: Part, result: PartResult | undefined): string {
  if (!result) return `| ${title} (\`${name}\`) | not run yet | | | | |`
  const { outcome, date, commit, seconds } = result
  const seed = isUnseeded ? 'none' : result.seed
  return `| [${title}](#${name}) | ${OUTCOMES[outcome]} | ${date} | ${commit} | ${seed} | ${duration(seconds)} |`
}

function section({ name, title }: Part, result: PartResult | undefined): string[] {
  if (!result) return []
  const reasons = result.reasons.flatMap((reason) => [`- ${reason}`, ''])
  return [`## ${name}`, '', `${title}.`, '', ...reasons, ...result.proofs.flatMap(proofLines)]
}

function proofLines({ claim, tried, figures, control }: Proof): string[] {
  return [
    `**${claim}** ${tried}`,
    '',
    '| figure | found | limit |',
    '|---|---|---|',
    ...figures.map((figure) => figureRow(figure)),
    ...control.figures.map((figure) => figureRow(figure, 'control: ')),
    '',
    `Control: ${control.tried}`,
    '',
  ]
}

function figureRow(figure: Figure, prefix = ''): string {
  const { name, value, unit, min, max, items = [] } = figure
  const limits = [min === undefined ? [] : `at least ${number(min)}`, max === undefined ? [] : `at most ${number(max)}`]
  const found = `${number(value)}${unit === undefined ? '' : ` ${unit}`}${isKept(figure) ? '' : ' **outside**'}`
  const first = items.map((item) => `<br>${item.replaceAll('|', String.raw`\|`)}`).join('')
  return `| ${prefix}${name} | ${found}${first} | ${limits.flat().join(', ')} |`
}

function machines(results: Results): string[] {
  const described = Object.values(results).map(
    ({ machine: { processor, cores, memoryGigabytes, platform, node } }) =>
      `${processor}, ${cores} cores, ${memoryGigabytes} GiB of memory, ${platform}, Node ${node}`,
  )
  return described.length === 0 ? [] : [`Machine: ${[...new Set(described)].join('; ')}.`]
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}
