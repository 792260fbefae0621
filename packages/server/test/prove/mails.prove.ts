import { test } from 'vitest'
import { largeMail, mailGrammar, truncatedMails, type GrammarMail } from '../hostile/mail-grammar.ts'
import {
  ATTEMPTS,
  BATCH,
  CONNECTIONS,
  FIRST_STRETCH_MS_MAX,
  runMails,
  STRETCH_MS_MAX,
  type MailsRun,
} from '../hostile/mails-run.ts'
import { startFaultyServer, startMailsServer } from '../hostile/mails-server.ts'
import { atLeast, atMost, counted, progress, prove, SEED, type Figure } from './proof.ts'

const MAILS = 10_000
/** Every beginning of twenty odd messages. */
const CUT_OFF = truncatedMails()
const MIB = 1024 * 1024
/** Up to the largest mail that the server accepts by default, one that it refuses, and one that also ends its connection. */
const LARGE_BYTES = [3 * MIB, 12 * MIB, 25 * MIB, 26 * MIB, 60 * MIB]
const TOO_BIG = 2
const GENERATED = MAILS - CUT_OFF.length - LARGE_BYTES.length
/** The others share a batch with a long turn, and are judged by the best of several attempts. */
const FIRST_JUDGED_SHARE_MIN = 0.8
/** The rest exceeds a limit of the parser, and is marked. */
const READABLE_SHARE_MIN = 0.85
const MEMORY_MIB_MAX = 1024
const PROGRESS_EVERY = 1_000

const WRONGLY_REFUSED = 'messages refused for another reason, or for a limit that they keep'
const LOST = 'accepted messages that are neither'
const CHANGED = 'messages with other bytes, or attachments of another size'
const UNREADABLE = 'messages that cannot be read in one of these ways'
const STRETCH = `longest stretch of the event loop: in the batch, or the best of ${ATTEMPTS} attempts alone`
const FIRST_STRETCH = 'longest stretch in a batch at the first attempt'

function* hostileMails(): Generator<GrammarMail> {
  const grammar = mailGrammar(SEED)
  yield* LARGE_BYTES.map((bytes, index) => largeMail(SEED + index, bytes))
  yield* CUT_OFF
  for (let number = 0; number < GENERATED; number++) yield grammar.mail(number)
}

test('hostile messages', async () => {
  const { server, dashboard } = await startMailsServer()
  const blocks = new Set<string>()
  function* recorded(): Generator<GrammarMail> {
    for (const mail of hostileMails()) {
      if (mail.block !== undefined) blocks.add(mail.block)
      yield mail
    }
  }
  let shown = 0
  const run = await runMails({
    server,
    dashboard,
    mails: recorded(),
    onProgress(sent) {
      if (sent < shown + PROGRESS_EVERY) return
      shown = sent
      progress(`${sent} of ${MAILS} messages`)
    },
  })
  for (const fault of [...run.wronglyRefused, ...run.lost, ...run.changed, ...run.unreadable].slice(0, 10))
    progress(fault)
  for (const { name, ms } of run.stretches.slice(0, 10)) progress(`${ms} ms: ${name}`)
  progress(server.complaints().slice(0, 1_000))
  const runFaulty = await startFaultyServer()
  const harmless = await runFaulty('Harmless mail')
  const blocking = await runFaulty('Blocking mail')
  const atFirstBlocking = await runFaulty('At first blocking mail')
  const hoarding = await runFaulty('Hoarding mail')
  const refused = await runFaulty('Refused mail')
  const removed = await runFaulty('Removed mail')
  const dropped = await runFaulty('Dropped mail')
  const changed = await runFaulty('Changed mail')
  const deadly = await runFaulty('Deadly mail')
  prove({
    claim: 'Hostile mail ends nothing, blocks nothing, and is either readable or marked.',
    tried:
      'Mail from a grammar: nesting, headers, parameters, encodings, charsets, boundaries, HTML, every block of Unicode as a ' +
      'long run and in mixes, sizes up to the limit and above it, and twenty odd messages cut off at every byte. Each is sent ' +
      'over SMTP and then read through list, search, message, raw mail, attachments, and the procedures and views of the ' +
      'dashboard. One in twenty is searched for in all mail, the others in what has arrived since. A refusal is compared with ' +
      'the mail: it is expected only if the mail breaks the limit that the reply names. The stretch of the event loop is its ' +
      `processor time in one turn, so that other work on the machine counts little. ${BATCH} messages are sent at a time on ${CONNECTIONS} ` +
      `connections. If the longest turn of such a batch takes more than ${STRETCH_MS_MAX} ms, it may have collected garbage, ` +
      `compiled, or processed several messages. Each of the ${BATCH} is then sent alone, up to ${ATTEMPTS} times, until a turn stays ` +
      'below the limit. The first attempt has a limit of its own.',
    figures: [
      atLeast(MAILS, 'messages', run.sent),
      counted('messages that the grammar generated', GENERATED),
      counted('messages that are the beginning of an odd message', CUT_OFF.length),
      atLeast(mailGrammar(SEED).blocks, 'blocks of 128 characters in long runs', blocks.size),
      ...refusalsOf(run),
      atLeast(MAILS * READABLE_SHARE_MIN, 'messages parsed completely', run.readable),
      counted('messages marked as partial, failed or set aside', run.marked),
      atMost(0, WRONGLY_REFUSED, run.wronglyRefused.length),
      atMost(0, LOST, run.lost.length),
      atMost(0, CHANGED, run.changed.length),
      atMost(0, UNREADABLE, run.unreadable.length),
      atMost(0, 'exits', run.exits),
      atMost(STRETCH_MS_MAX, STRETCH, Math.round(run.stretchMs), 'ms'),
      atMost(FIRST_STRETCH_MS_MAX, FIRST_STRETCH, Math.round(run.firstStretchMs), 'ms'),
      atLeast(
        MAILS * FIRST_JUDGED_SHARE_MIN,
        'messages judged by their first attempt, because their batch kept the limit',
        run.sent - run.triedAlone,
      ),
      atMost(MEMORY_MIB_MAX, 'most memory (RSS)', run.memoryMiB, 'MiB'),
    ],
    control: {
      tried:
        'The same run with a program in which one mail blocks the event loop for 300 ms each time, one for 1.2 s at its first ' +
        'attempt only, one uses 1.1 GiB, one is refused as too big although it is small, one is dropped, one is changed, one is ' +
        'removed before it is read, and one ends the process.',
      figures: [
        counted('longest stretch with a harmless mail', Math.round(harmless.stretchMs), 'ms'),
        atLeast(1, WRONGLY_REFUSED, refused.wronglyRefused.length),
        atLeast(1, LOST, dropped.lost.length),
        atLeast(1, CHANGED, changed.changed.length),
        atLeast(1, UNREADABLE, removed.unreadable.length),
        atLeast(1, 'exits', deadly.exits),
        atLeast(STRETCH_MS_MAX + 1, STRETCH, Math.round(blocking.stretchMs), 'ms'),
        atLeast(FIRST_STRETCH_MS_MAX + 1, FIRST_STRETCH, Math.round(atFirstBlocking.firstStretchMs), 'ms'),
        atLeast(MEMORY_MIB_MAX + 1, 'most memory (RSS)', hoarding.memoryMiB, 'MiB'),
      ],
    },
  })
})

/** All mail above a limit is refused, and how often by which reply. */
function refusalsOf({ aboveLimit, refusals }: MailsRun): Figure[] {
  const refused = [...refusals.values()].reduce((sum, count) => sum + count, 0)
  return [
    atLeast(TOO_BIG, 'messages above a limit of SMTP', aboveLimit),
    atLeast(aboveLimit, 'messages refused by SMTP', refused),
    ...[...refusals].map(([reply, count]) => counted(`of these: ${reply}`, count)),
  ]
}
