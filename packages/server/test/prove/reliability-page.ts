import type { Machine } from '../../../../bench/machine.ts'
import { lengthOf, PARTS, type Part } from './parts.ts'
import { brokenIn, foundOf, isKept, limitsOf, type Figure, type Proof } from './proof.ts'

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
    'Everything runs on the machine that is named at the end: the load, the databases and the program share its cores. Some parts need Linux,',
    'root, loop devices, mounts, network namespaces or Chromium; one that misses something says so. “S3” is the S3 API of R2 in workerd, the local',
    'runtime of Cloudflare.',
    '',
    'Every figure with an upper limit has a control: the same figure, found in the same run for a program, a client or data that was broken on',
    'purpose. There it has to exceed the limit. A part fails if its control finds nothing, or if one of its proofs is missing. `--seed <n>`',
    'repeats the random values of a run.',
    '',
    summaryOf(results),
    '',
    ...togetherOf(results),
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
  const counts = [
    [count('passed'), 'passed'],
    [count('failed'), 'failed'],
    [count('not possible'), 'not possible where they ran'],
    [PARTS.length - run.length, 'not run'],
  ] as const
  const named = counts.flatMap(([many, name]) => (many === 0 ? [] : `${many} ${name}`))
  return `**Of ${PARTS.length} parts: ${named.join(', ')}${commitsOf(run)}.**`
}

/** How long the parts take that run without being named, by their last results. */
function togetherOf(results: Results): string[] {
  const regular = PARTS.filter(({ isOnlyByName }) => !isOnlyByName)
  const isComplete = regular.every(({ name }) => results[name] && results[name].outcome !== 'not possible')
  if (!isComplete) return []
  const seconds = lengthOf(regular, ({ name }) => results[name]!.seconds)
  return [
    `By these times, all parts but the soak take ${duration(seconds)} together: two run at once where that is possible.`,
    '',
  ]
}

function commitsOf(run: PartResult[]): string {
  const commits = [...new Set(run.map(({ commit }) => commit))]
  if (commits.length === 0) return ''
  const [only] = commits
  return commits.length === 1
    ? `; all results are of one commit, ${only}`
    : `; the results are NOT of one commit, but of ${commits.length}: ${commits.join(', ')}`
}

function overviewRow(part: Part, result: PartResult | undefined): string {
  const { name, title, isUnseeded } = part
  if (!result) return `| ${title} (\`${name}\`) | not run yet | | | | |`
  const { outcome, date, commit, seconds, proofs } = result
  const seed = isUnseeded ? 'none' : result.seed
  // A proof that was added since.
  const before =
    outcome === 'passed' && proofs.length < part.proofs ? `, ${proofs.length} proofs of ${part.proofs}` : ''
  return `| [${shownTitle(part, result)}](#${name}) | ${OUTCOMES[outcome]}${before} | ${date} | ${commit} | ${seed} | ${duration(seconds)} |`
}

function section(part: Part, result: PartResult | undefined): string[] {
  if (!result) return []
  const { name, shortForms } = part
  const reasons = result.reasons.flatMap((reason) => [`- ${reason}`, ''])
  const files = shortForms.map((file) => `\`${file}\``).join(', ')
  const short = files === '' ? [] : [`In \`npm test\`, the short form is ${files}.`, '']
  return [
    `## ${name}`,
    '',
    `${shownTitle(part, result)}.`,
    '',
    ...short,
    ...reasons,
    ...result.proofs.flatMap(proofLines),
  ]
}

/** What a part or proof claims is only an assertion if it was shown. */
const NOT_SHOWN = 'NOT shown: '

function shownTitle({ title }: Part, { outcome }: PartResult): string {
  return `${outcome === 'passed' ? '' : NOT_SHOWN}${title}`
}

function proofLines(proof: Proof, index: number, all: Proof[]): string[] {
  const { figures, control } = proof
  const before = all[index - 1]
  const claim = `${brokenIn(proof).length === 0 ? '' : NOT_SHOWN}${proof.claim}`
  return [
    `**${claim}** ${proof.tried === before?.tried ? 'Tried as above.' : proof.tried}`,
    '',
    '| figure | found | limit |',
    '|---|---|---|',
    ...figures.map((figure) => figureRow(figure)),
    ...control.figures.map((figure) => figureRow(figure, 'control: ')),
    '',
    `Control: ${control.tried === before?.control.tried ? 'as above.' : control.tried}`,
    '',
  ]
}

function figureRow(figure: Figure, prefix = ''): string {
  const mark = isKept(figure) ? '' : ' **outside**'
  const first = (figure.items ?? []).map((item) => `<br>${item.replaceAll('|', String.raw`\|`)}`).join('')
  return `| ${prefix}${figure.name} | ${foundOf(figure)}${mark}${first} | ${limitsOf(figure)} |`
}

function machines(results: Results): string[] {
  const described = Object.values(results).map(
    ({ machine: { processor, cores, memoryGigabytes, platform, node } }) =>
      `${processor}, ${cores} cores, ${memoryGigabytes} GiB of memory, ${platform}, Node ${node}`,
  )
  return described.length === 0 ? [] : [`Machine: ${[...new Set(described)].join('; ')}.`]
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`
}
