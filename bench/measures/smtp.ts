import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SETTLE_MS, type Bench } from '../bench.ts'
import { startProduct, type Product } from '../product.ts'
import { removeFolder } from '../programs.ts'
import { installMailDev, MAILDEV, startMailDev } from '../references/maildev.ts'
import { findPostfixProgram, runSmtpSource, startSmtpSink } from '../references/postfix.ts'
import type { SmtpTarget, StartSmtpTarget } from '../references/smtp-target.ts'
import { firstLine, MAILHATCH } from '../results.ts'
import { perSecond } from '../statistics.ts'
import { TaskProcess } from '../tasks/task-process.ts'

export type SmtpScenario = { name: string; sizeBytes: number; connections: number; reuse: boolean }

export const SMALL_50: SmtpScenario = { name: '2 kB, 50 reused', sizeBytes: 2_000, connections: 50, reuse: true }
export const SMALL_10: SmtpScenario = { name: '2 kB, 10 reused', sizeBytes: 2_000, connections: 10, reuse: true }
export const LARGE_50: SmtpScenario = { name: '50 kB, 50 reused', sizeBytes: 50_000, connections: 50, reuse: true }
export const LARGE_10: SmtpScenario = { name: '50 kB, 10 reused', sizeBytes: 50_000, connections: 10, reuse: true }
export const SMALL_ONCE: SmtpScenario = {
  name: '2 kB, a connection a mail × 10',
  sizeBytes: 2_000,
  connections: 10,
  reuse: false,
}
export const LARGE_ONCE: SmtpScenario = { ...SMALL_ONCE, name: '50 kB, a connection a mail × 10', sizeBytes: 50_000 }
const SCENARIOS = [SMALL_50, SMALL_10, LARGE_50, LARGE_10, SMALL_ONCE, LARGE_ONCE]

export const BARE_BUCKET = 'bare bucket (its objects and syncs only)'
const RECIPIENT = 'load@mailhatch.test'
/** Samples are limited by time; this bounds the amount of mail on a very fast disk. */
const MAILS_MAX = 50_000

/** Mails per second: acknowledged, and until all of them are readable. */
export async function measureSmtp(bench: Bench): Promise<void> {
  const references = await findReferences(bench)
  const source = findPostfixProgram('smtp-source')
  if (!source) bench.results.note('smtp-source is not installed: all mail was sent by our own generator.')
  for (let round = 1; round <= bench.plan.rounds; round++) {
    console.log(`SMTP, round ${round} of ${bench.plan.rounds}`)
    // New programs with empty stores, so that earlier rounds do not slow them down.
    const folder = mkdtempSync(join(bench.folder, 'smtp-'))
    const product = await startProduct(folder)
    const targets: SmtpTarget[] = [{ ...product, name: MAILHATCH }]
    for (const start of references) targets.push(await start(folder))
    // Alternate the order from round to round.
    if (round % 2 === 0) targets.reverse()
    await warmUp(bench, targets)
    for (const scenario of SCENARIOS) {
      for (const target of targets) await takeSample(bench, scenario, target, product)
      if (scenario === SMALL_50) await takeBareBucketSample(bench, folder)
    }
    if (source) for (const target of targets) await takeSmtpSourceSample(bench, source, target, product)
    await Promise.all(targets.map((target) => target.stop()))
    removeFolder(folder)
  }
}

/** The reference programs available on this machine. Each is started once to check. */
async function findReferences({ results, folder }: Bench): Promise<StartSmtpTarget[]> {
  const sink = findPostfixProgram('smtp-sink')
  if (!sink) results.note('smtp-sink is not installed and was skipped.')
  const candidates: { name: string; prepare: () => Promise<StartSmtpTarget> }[] = [
    {
      name: MAILDEV,
      async prepare() {
        const file = await installMailDev()
        return (given) => startMailDev(file, given)
      },
    },
    ...(sink ? [{ name: 'smtp-sink', prepare: async () => (folder: string) => startSmtpSink(sink, folder) }] : []),
  ]
  const references: StartSmtpTarget[] = []
  for (const { name, prepare } of candidates) {
    console.log(`Preparing ${name}`)
    try {
      const start = await prepare()
      await (await start(folder)).stop()
      references.push(start)
    } catch (error) {
      console.error(error)
      results.note(`${name} could not be started and was skipped: ${firstLine(error)}`)
    }
  }
  return references
}

async function warmUp({ generator, plan }: Bench, targets: SmtpTarget[]): Promise<void> {
  for (const { smtpPort } of targets) {
    await generator.run('runSmtpLoad', loadOptions(SMALL_50, smtpPort, plan.warmUpMs))
    await sleep(SETTLE_MS)
  }
}

async function takeSample(bench: Bench, scenario: SmtpScenario, target: SmtpTarget, product: Product): Promise<void> {
  const { generator, plan } = bench
  await measureSending(bench, scenario.name, target, product, async () => {
    const result = await generator.run('runSmtpLoad', loadOptions(scenario, target.smtpPort, plan.sampleMs))
    return { mails: result.acknowledged, elapsedMs: result.elapsedMs }
  })
}

async function takeSmtpSourceSample(
  bench: Bench,
  command: string,
  target: SmtpTarget,
  product: Product,
): Promise<void> {
  const mails = bench.plan.smtpSourceMails
  await measureSending(bench, `${SMALL_50.name}, by smtp-source`, target, product, async () => {
    const options = { ...SMALL_50, command, port: target.smtpPort, recipient: RECIPIENT, mails }
    return { mails, elapsedMs: await runSmtpSource(options) }
  })
}

/** Mailhatch has two figures; the one until everything is readable has the plain name. */
async function measureSending(
  { results }: Bench,
  scenario: string,
  target: SmtpTarget,
  product: Product,
  send: () => Promise<{ mails: number; elapsedMs: number }>,
): Promise<void> {
  const label = { measure: 'smtp', scenario, unit: 'mails/s' } as const
  if (target.smtpPort !== product.smtpPort) {
    const { mails, elapsedMs } = await send()
    results.add({ ...label, subject: target.name }, perSecond(mails, elapsedMs))
  } else {
    const before = await product.countMessages()
    const startedAt = performance.now()
    const { mails, elapsedMs } = await send()
    await product.untilReadable(before + mails)
    results.add({ ...label, subject: MAILHATCH }, perSecond(mails, performance.now() - startedAt))
    results.add({ ...label, subject: `${MAILHATCH}, acknowledged only` }, perSecond(mails, elapsedMs))
  }
  await sleep(SETTLE_MS)
}

/** In a separate process, like the other programs. */
async function takeBareBucketSample({ results, plan }: Bench, folder: string): Promise<void> {
  const process = new TaskProcess(BARE_BUCKET)
  const options = { folder, sizeBytes: SMALL_50.sizeBytes, loops: SMALL_50.connections }
  await process.run('runBareBucket', { ...options, durationMs: plan.warmUpMs })
  const { mails, elapsedMs } = await process.run('runBareBucket', { ...options, durationMs: plan.sampleMs })
  await process.stop()
  const label = { measure: 'smtp', scenario: SMALL_50.name, subject: BARE_BUCKET, unit: 'mails/s' } as const
  results.add(label, perSecond(mails, elapsedMs))
}

function loadOptions({ sizeBytes, connections, reuse }: SmtpScenario, port: number, durationMs: number) {
  return { port, mail: { sizeBytes, recipient: RECIPIENT }, connections, reuse, durationMs, mailsMax: MAILS_MAX }
}
