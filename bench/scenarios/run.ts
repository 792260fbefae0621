import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { watchOtherWork } from '../machine.ts'
import { API_KEY, startProduct, type Product } from '../product.ts'
import { removeFolder, stopPrograms } from '../programs.ts'
import { formatFigure } from '../results.ts'
import { median, perSecond } from '../statistics.ts'
import { TaskProcess } from '../tasks/task-process.ts'

const ROUNDS = 5
const ROUNDS_MAX = 50
const SCENARIOS = 1_000
const SAMPLE_MS = 5_000
const WARM_UP_MS = 2_000
const CONNECTIONS = 10
const SIZE_BYTES = 2_000
/** Bounds the amount of mail on a very fast disk. */
const MAILS_MAX = 50_000
/** Scenarios that are created at once: the server would queue more. */
const CREATED_AT_ONCE = 20
const DAY_SECONDS = 86_400

const HELP = `Measures SMTP with plain mail for a mailbox in which no other address has a scenario, and for one in which ${SCENARIOS} have one.

Usage: node --conditions=mailhatch-source bench/scenarios/run.ts [options]

  --rounds <n>   Rounds, in each of which both servers have their turn. Default: ${ROUNDS}, at most ${ROUNDS_MAX}.
  --sample <ms>  How long each turn sends. Default: ${SAMPLE_MS}.
  --help         This text.

Prints mails per second that were acknowledged, and the median of the ratios. Do not use the machine for anything else meanwhile.
`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: String(ROUNDS) },
    sample: { type: 'string', default: String(SAMPLE_MS) },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(HELP)
  process.exit(0)
}
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1 || rounds > ROUNDS_MAX) {
  throw new Error(`--rounds must be a number from 1 to ${ROUNDS_MAX}.`)
}
const sampleMs = Number(values.sample)
if (!(sampleMs >= 100)) throw new Error('--sample must be a number of milliseconds, at least 100.')

async function addScenarios({ url }: Product): Promise<void> {
  const tags = Array.from({ length: SCENARIOS }, (_, tag) => tag)
  await Promise.all(
    Array.from({ length: CREATED_AT_ONCE }, async () => {
      for (let tag = tags.pop(); tag !== undefined; tag = tags.pop()) {
        const steps = [{ do: 'reject', code: 451 }]
        const response = await fetch(`${url}/v1/scenarios`, {
          method: 'POST',
          headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ to: `load+scripted-${tag}@mailhatch.test`, steps, expiresIn: DAY_SECONDS }),
        })
        if (!response.ok) throw new Error(`Creating a scenario failed: ${response.status} ${await response.text()}`)
      }
    }),
  )
}

const otherWork = watchOtherWork()
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-scenarios-'))
process.on('exit', () => removeFolder(folder))
try {
  const generator = new TaskProcess('load generator')
  const environment = { RATE_LIMIT: 'off' }
  const [without, beside] = [await startProduct(folder, { environment }), await startProduct(folder, { environment })]
  await addScenarios(beside)
  const send = async ({ smtpPort: port }: Product, durationMs: number) => {
    const mail = { sizeBytes: SIZE_BYTES, recipient: 'load+plain@mailhatch.test' }
    const load = { port, mail, connections: CONNECTIONS, reuse: true, durationMs, mailsMax: MAILS_MAX }
    const { acknowledged, elapsedMs } = await generator.run('runSmtpLoad', load)
    return perSecond(acknowledged, elapsedMs)
  }
  for (const product of [without, beside]) await send(product, WARM_UP_MS)
  const rates = new Map<Product, number[]>([
    [without, []],
    [beside, []],
  ])
  for (let round = 0; round < rounds; round++) {
    // The first is not always measured on the warmer machine.
    const turns = round % 2 === 0 ? [without, beside] : [beside, without]
    for (const product of turns) rates.get(product)!.push(await send(product, sampleMs))
  }
  const ratios = rates.get(beside)!.map((rate, round) => rate / rates.get(without)![round]!)
  console.log(`Plain mail without scenarios: ${formatFigure(median(rates.get(without)!))} mails per second`)
  console.log(
    `Plain mail in a mailbox with ${SCENARIOS} scenarios: ${formatFigure(median(rates.get(beside)!))} mails per second`,
  )
  console.log(`Ratio: ${formatFigure(median(ratios))} ${otherWork().join(' ')}`)
} finally {
  await stopPrograms()
}
