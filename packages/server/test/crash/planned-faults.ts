import { setTimeout as pause } from 'node:timers/promises'
import { API_KEY } from '../support/child-server.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { keysIn, readObject, sha256 } from '../support/stored-mail.ts'
import { SMALL_BYTES, type Run } from './fault-calls.ts'
import type { FaultyProgram } from './faulty-program.ts'

const DOMAIN = 'mailhatch.test'
/** What the product does by itself after a mail, and once a minute, has made its calls after this time. */
const BACKGROUND_MS_MAX = 1_500
/** The announcer looks for due mail this often. */
const TICK_MS = 500
const RETRY_MS = 61_000
/** When the fault has gone, everything is there within seconds. */
const RECOVERY_MS_MAX = 60_000
const POLL_MS = 100
/** A plan whose call was not made runs again this many times at most. */
const MISSES_MAX = 4

type SentMail = { name: string; mailbox: string; tag: string; hash: string }
type Listed = { id: string; tag: string }

/** What the runs of all programs found. */
export class FaultReport {
  runs = 0
  callsFailed = 0
  /** Which call failed where, and how. */
  hit = new Set<string>()
  missed: string[] = []
  acknowledged = 0
  refused = 0
  /** Stored although its sender was refused or did not get the reply. */
  unasked = 0
  // Names of mail, by what is wrong with it.
  falselyAcknowledged: string[] = []
  unannounced: string[] = []
  unreadable: string[] = []
  altered: string[] = []
  doubled: string[] = []
  /** By a permanent reply, during the fault. */
  refusedForGood: string[] = []
  /** Mail that was sent when the fault had gone. */
  refusedAfterwards: string[] = []
}

export type FaultRuns = {
  /** Of the program. */
  name: string
  runs: Run[]
  report: FaultReport
  recoveryMsMax?: number
  onRun?: () => void
}

/** The runs one after another, each with one fault, then a restart after which all mail is looked at again. */
export async function runPlannedFaults(
  program: FaultyProgram,
  { name, runs, report, recoveryMsMax = RECOVERY_MS_MAX, onRun = () => {} }: FaultRuns,
): Promise<void> {
  const kept: (SentMail & Listed)[] = []
  let toRemove: Listed | null = null
  const sender = createSender(program)

  async function tryRun(run: Run, number: string): Promise<boolean> {
    const port = program.ports[run.side]
    const about = { name: `${name}, ${run.name}, ${number}`, number }
    const during = newMail({ ...about, tag: 'during' }, run.mailBytes)
    const afterwards = newMail({ ...about, tag: 'afterwards' }, SMALL_BYTES)
    await port.arm(run.plan)
    const reply = await sender.send(during)
    // What people do meanwhile.
    await Promise.allSettled([
      ...kept.slice(-1).map(({ id }) => readRaw(program, id)),
      ...(toRemove ? [ask(program, `/${toRemove.id}`, 'DELETE')] : []),
      list(program, during.mailbox),
    ])
    program.passTime(RETRY_MS)
    await waitUpTo(BACKGROUND_MS_MAX, async () => port.hits() > 0)
    await port.heal()
    report.callsFailed += port.hits()
    if (port.hits() > 0) report.hit.add(`${name}, ${run.name}`)
    if (isAccepted(reply)) report.acknowledged++
    else report.refused++
    if (reply.startsWith('5')) report.refusedForGood.push(during.name)

    const later = await sender.send(afterwards)
    if (!isAccepted(later)) report.refusedAfterwards.push(`${afterwards.name}: ${later}`)
    const listed = await settle(during.mailbox, [
      ...(isAccepted(reply) ? [during] : []),
      ...(isAccepted(later) ? [afterwards] : []),
    ])
    if (!isAccepted(reply) && listed.some(({ tag }) => tag === 'during')) report.unasked++
    toRemove = listed.find(({ tag }) => tag === 'afterwards') ?? null
    const [found, another] = listed.filter(({ tag }) => tag === 'during')
    if (isAccepted(reply) && found && !another) kept.push({ ...during, ...found })
    return port.hits() > 0
  }

  /** Waits until the API has this mail and notes what is wrong. */
  async function settle(mailbox: string, expected: SentMail[]): Promise<Listed[]> {
    let listed: Listed[] = []
    let passedAt = performance.now()
    await waitUpTo(recoveryMsMax, async () => {
      if (performance.now() - passedAt > TICK_MS) {
        program.passTime(RETRY_MS)
        passedAt = performance.now()
      }
      listed = await list(program, mailbox)
      return expected.every((mail) => listed.some(({ tag }) => tag === mail.tag))
    })
    for (const mail of expected) await judge(mail, listed)
    return listed
  }

  async function judge(mail: SentMail, listed: Listed[]): Promise<void> {
    const found = listed.filter(({ tag }) => tag === mail.tag)
    if (found.length > 1) return void report.doubled.push(mail.name)
    if (found[0]) return judgeBytes(mail, found[0].id)
    const isKept = await hasBytes(program, mail)
    if (isKept) report.unannounced.push(mail.name)
    else report.falselyAcknowledged.push(mail.name)
  }

  async function judgeBytes(mail: SentMail, id: string): Promise<void> {
    let bytes: Uint8Array | null = null
    await waitUpTo(recoveryMsMax, async () => (bytes = await readRaw(program, id)) !== null)
    if (bytes === null) report.unreadable.push(mail.name)
    else if (sha256(bytes) !== mail.hash) report.altered.push(mail.name)
  }

  for (const [index, run] of runs.entries()) {
    let isHit = false
    for (let miss = 0; miss < MISSES_MAX && !isHit; miss++) {
      // Later calls of the same name may not be made.
      const plan = miss === 0 ? run.plan : { ...run.plan, skip: 0 }
      isHit = await tryRun({ ...run, plan }, `${index}-${miss}`)
    }
    if (isHit) report.runs++
    else report.missed.push(`${name}, ${run.name}`)
    onRun()
  }
  sender.close()
  await program.stop()
  await program.start()
  for (const mail of kept) await settle(mail.mailbox, [{ ...mail, name: `${mail.name}, after a restart` }])
  await program.stop()
}

function newMail({ name, number, tag }: { name: string; number: string; tag: string }, bytes: number) {
  const mailbox = `box-${number}`
  const to = `${mailbox}+${tag}@${DOMAIN}`
  const line = `${name} ${'x'.repeat(60)}\r\n`
  const raw = Buffer.from(`Subject: ${tag}\r\nTo: ${to}\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}`)
  return { name, mailbox, tag, to, raw, hash: sha256(raw) }
}

/** Connects again after a lost connection, whose mail was not acknowledged. */
function createSender(program: FaultyProgram) {
  let client: SmtpClient | null = null
  return {
    async send(mail: { to: string; raw: Uint8Array }): Promise<string> {
      try {
        client ??= await SmtpClient.connect(program.smtpPort())
        return await client.send(mail)
      } catch (error) {
        client?.close()
        client = null
        return `no reply: ${String(error)}`
      }
    },
    close: () => client?.close(),
  }
}

/** Until the condition is met or the time has passed. Failures count as not met. */
async function waitUpTo(milliseconds: number, isMet: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + milliseconds
  while (!(await isMet().catch(() => false)) && performance.now() < until) await pause(POLL_MS)
}

function ask(program: FaultyProgram, path: string, method = 'GET'): Promise<Response> {
  return fetch(`${program.apiUrl()}/v1/messages${path}`, { method, headers: { authorization: `Bearer ${API_KEY}` } })
}

async function list(program: FaultyProgram, mailbox: string): Promise<Listed[]> {
  const response = await ask(program, `?mailbox=${mailbox}`)
  if (!response.ok) throw new Error(`The list has status ${response.status}: ${await response.text()}`)
  // The response of the API itself.
  return ((await response.json()) as { data: Listed[] }).data
}

async function readRaw(program: FaultyProgram, id: string): Promise<Uint8Array | null> {
  const response = await ask(program, `/${id}/raw`)
  return response.ok ? new Uint8Array(await response.arrayBuffer()) : (await response.body?.cancel(), null)
}

/** Whether the bucket has the mail, announced or not. */
async function hasBytes(program: FaultyProgram, { mailbox, hash }: SentMail): Promise<boolean> {
  const bucket = program.bucket()
  for (const key of await keysIn(bucket, `raw/${DOMAIN}/${mailbox}/`)) {
    if (sha256(await readObject(bucket, key)) === hash) return true
  }
  return false
}
