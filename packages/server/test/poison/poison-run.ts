import { setTimeout as rest } from 'node:timers/promises'
import { OWN_FAILURES_MAX } from '../../src/domain/set-aside.ts'
import type { Metadata } from '../../src/worker/metadata.ts'
import type { Installation } from '../crash/installations.ts'
import { isProperlySetAside } from '../support/operator.ts'
import { nameOf, type Poison, type PoisonGroup } from './planned-poison.ts'
import { poisonMail, RECORD_TOKEN, tokenOf } from './poison-token.ts'
import { sendUntilAccepted, startOtherMail } from './other-mail.ts'
import { POISONED } from './stages.ts'
import { startWatched, type WatchedPrograms } from './watched-programs.ts'

/** Names, keys and records of the worker itself, and functions with stages of their own. */
const NO_STAGE = /\.(?:bytesOf|metadataKey|encodeMetadata|decodeMetadata|announceMail|announceStored)$/
/** After these, the message is stored; or the next attempt goes another way; or the mail is stored unparsed. */
const DELIVERED = /^(?:feed\.|worker\/announcer\.|mime\/)/
/** The parser fails in its thread each time, so the message is marked. */
const UNPARSED = /^mime\/parse-thread\.parseMail$/
/** Only mail to a mailbox that exists passes it. */
const NEEDS_MAILBOX = 'store.addMessage'
/** After a crash, small mail is parsed in a thread for a while, so that only a program that was stopped passes it. */
const NEEDS_CLEAN_STOP = 'mime/mail-parser.parseMail'
/** Mail above 128 KiB is parsed in a thread. */
const LARGE_BYTES = 200_000
/** As many, so that mail that is delivered at the second attempt casts no doubt on the API. */
const OTHERS_FIRST = 60
export const LATE_MS = 30_000
const POLL_MS = 500

type Result = 'delivered' | 'delivered unparsed' | 'set aside' | 'doubled' | 'neither'
type Judged = Poison & { result: Result; mail: Metadata | null; isListed: boolean }

export type PoisonRun = {
  installation: Installation
  /** What is tried, of the stages that were found. */
  choose: (stages: string[]) => PoisonGroup[]
  /** Loaded first besides the stages: for the control. */
  preloads?: string[]
  patienceMs: number
  onProgress?: (text: string) => void
}

export type PoisonReport = Awaited<ReturnType<typeof runPoison>>

/** Sends mail that fails at each stage, in every way, while other mail arrives. */
export async function runPoison({ installation, choose, preloads = [], patienceMs, onProgress = () => {} }: PoisonRun) {
  const modules = [POISONED, ...preloads]
  const programs = await startWatched(installation, modules)
  const stages = await recordStages(programs)
  const others = startOtherMail(programs)
  while (others.acceptedCount() < OTHERS_FIRST) await rest(POLL_MS)
  const judged: Judged[] = []
  const groups = choose(stages)
  for (const { poisons, isRestarted } of groups) {
    onProgress(poisons.map(nameOf).join(', '))
    if (poisons.some(({ stage }) => stage === NEEDS_CLEAN_STOP)) await programs.restartWorker(modules, 'stop')
    const sending = poisons.map((poison) => sendPoison(programs, poison))
    if (isRestarted) {
      await rest(2_000)
      await programs.restartWorker(modules, 'kill')
    }
    judged.push(...(await judge(programs, poisons, patienceMs)))
    await Promise.all(sending)
  }
  const other = await others.end(LATE_MS)
  const setAside = judged.filter(({ result }) => result === 'set aside')
  await programs.restart(preloads)
  const unretried = await findUnretried(programs, setAside)
  await programs.stop()
  const failures = failuresIn(programs.output())
  return {
    stages,
    tried: judged.map(({ stage, kind }) => ({ stage, kind })),
    /** Mail that ends a program, and how often one ended. */
    ending: groups.filter(({ isEnding }) => isEnding).length,
    ends: programs.ends(),
    setAside: setAside.length,
    delivered: judged.filter(isDelivered).length,
    wrong: judged
      .filter((one) => !isAsExpected(one))
      .map((one) => `${nameOf(one)}: ${one.result}, ${one.mail?.ownFailures ?? 0} own failures`),
    /** Harmful mail whose stage failed on it less often than the result needs. */
    unharmed: judged
      .map((one) => ({ one, failed: failures.get(nameOf(one)) ?? 0 }))
      .filter(({ one, failed }) => failed < (one.result === 'set aside' ? OWN_FAILURES_MAX : 1))
      .map(({ one, failed }) => `${nameOf(one)}: ${one.result} after ${failed} failures of the stage`),
    unlisted: setAside.filter(({ isListed }) => !isListed).map(nameOf),
    unretried,
    other,
  }
}

function isDelivered({ result }: Judged): boolean {
  return result === 'delivered' || result === 'delivered unparsed'
}

function isAsExpected(one: Judged): boolean {
  const { stage, result, mail } = one
  if (UNPARSED.test(stage)) return result === 'delivered unparsed'
  if (DELIVERED.test(stage)) return isDelivered(one)
  return result === 'set aside' && isProperlySetAside(mail!)
}

/** The stages that small and large mail passes, the first to a new mailbox, from the program itself. */
export async function recordStages(programs: WatchedPrograms): Promise<string[]> {
  // With an endpoint, mail is also announced to it.
  await programs.sdk.webhooks.create({ url: 'http://127.0.0.1:1/' })
  for (const [index, size] of [0, LARGE_BYTES, 0].entries()) {
    const address = `${RECORD_TOKEN}+${index}`
    await sendUntilAccepted(programs, { to: `${address}@${programs.domain}`, raw: poisonMail(RECORD_TOKEN, size) })
    await programs.sdk.messages.waitFor({ mailbox: address })
  }
  const found = Array.from(programs.output().matchAll(/^stage (\S+)$/gm), ([, stage]) => stage!)
  return [...new Set(found)].filter((stage) => !NO_STAGE.test(stage)).toSorted()
}

/** How often each stage failed in each way, from the programs themselves. */
function failuresIn(output: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, name] of output.matchAll(/^failed (\S+ \w+)$/gm)) counts.set(name!, (counts.get(name!) ?? 0) + 1)
  return counts
}

function mailboxOf({ stage, kind }: Poison): string {
  return `${tokenOf(stage)}${kind}`
}

async function sendPoison(programs: WatchedPrograms, poison: Poison): Promise<void> {
  const name = mailboxOf(poison)
  if (poison.stage === NEEDS_MAILBOX) await programs.sdk.mailboxes.create(name)
  const size = poison.stage.startsWith('mime/parse-thread') ? LARGE_BYTES : 0
  const until = Date.now() + LATE_MS * 4
  await sendUntilAccepted(
    programs,
    { to: `${name}@${programs.domain}`, raw: poisonMail(name, size) },
    () => Date.now() > until,
  )
}

/** Waits until each mail is delivered, or set aside and listed by the API too. */
async function judge(programs: WatchedPrograms, poisons: Poison[], patienceMs: number): Promise<Judged[]> {
  let judged: Judged[] = []
  let problem: unknown = null
  const until = Date.now() + patienceMs
  do {
    await rest(POLL_MS)
    try {
      judged = await lookAt(programs, poisons)
      if (judged.every((one) => isDelivered(one) || one.isListed)) return judged
    } catch (error) {
      // The program is being restarted, or blocked.
      problem = error
    }
  } while (Date.now() < until)
  if (judged.length > 0) return judged
  console.info('the programs did not respond', problem)
  return poisons.map((poison) => ({ ...poison, result: 'neither', mail: null, isListed: false }))
}

async function lookAt(programs: WatchedPrograms, poisons: Poison[]): Promise<Judged[]> {
  const setAside = await programs.operator.listSetAside()
  const rejections = await programs.sdk.rejections.list({ limit: 200 })
  return Promise.all(
    poisons.map(async (poison): Promise<Judged> => {
      const mailbox = mailboxOf(poison)
      const mail = setAside.find((one) => one.mailbox === mailbox) ?? null
      const isListed = rejections.some(
        ({ to, code, reason }) =>
          to.startsWith(`${mailbox}@`) && code === 'set_aside' && reason === mail?.setAside?.reason,
      )
      if (mail) return { ...poison, result: 'set aside', mail, isListed }
      return { ...poison, result: await resultIn(programs, mailbox), mail, isListed }
    }),
  )
}

async function resultIn({ sdk }: WatchedPrograms, mailbox: string): Promise<Result> {
  const [found, ...more] = (await sdk.messages.list({ mailbox })).data
  if (!found) return 'neither'
  if (more.length > 0) return 'doubled'
  return (await sdk.messages.get(found.id)).parse === 'failed' ? 'delivered unparsed' : 'delivered'
}

/** The messages that an operator's retry does not deliver. */
async function findUnretried(programs: WatchedPrograms, judged: Judged[]): Promise<string[]> {
  const failed: string[] = []
  for (const { mail, ...poison } of judged) {
    if (!mail || !(await isRetried(programs, mail, mailboxOf(poison)))) failed.push(nameOf(poison))
  }
  return failed
}

async function isRetried(programs: WatchedPrograms, mail: Metadata, mailbox: string): Promise<boolean> {
  const status = await programs.operator.retry(mail)
  const { data } = await programs.sdk.messages.list({ mailbox })
  return [200, 409].includes(status) && data.length === 1
}
