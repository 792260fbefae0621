import { test } from 'vitest'
import { largeMail, mailGrammar, truncatedMails, type GrammarMail } from '../hostile/mail-grammar.ts'
import { runMails, STRETCH_MS_MAX } from '../hostile/mails-run.ts'
import { runWithFaults, startMailsServer } from '../hostile/mails-server.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const MAILS = 10_000
const MIB = 1024 * 1024
/** Up to the largest mail that the server accepts by default. */
const LARGE_BYTES = [3 * MIB, 12 * MIB, 25 * MIB]
const MEMORY_MIB_MAX = 1024
const PROGRESS_EVERY = 1_000

function* hostileMails(): Generator<GrammarMail> {
  const grammar = mailGrammar(SEED)
  const truncated = truncatedMails()
  yield* LARGE_BYTES.map((bytes, index) => largeMail(SEED + index, bytes))
  yield* truncated
  const rest = MAILS - truncated.length - LARGE_BYTES.length
  for (let number = 0; number < rest; number++) yield grammar.mail(number)
}

test('hostile mails', async () => {
  const { server, dashboard } = await startMailsServer()
  let shown = 0
  const run = await runMails({
    server,
    dashboard,
    mails: hostileMails(),
    onProgress(sent) {
      if (sent < shown + PROGRESS_EVERY) return
      shown = sent
      progress(`${sent} of ${MAILS} mails`)
    },
  })
  for (const fault of [...run.lost, ...run.changed, ...run.unreadable].slice(0, 10)) progress(fault)
  for (const { name, ms } of run.stretches.slice(0, 10)) progress(`${ms} ms: ${name}`)
  progress(server.complaints().slice(0, 1_000))
  const { harmless, blocking, hoarding, removed, deadly } = await runWithFaults()
  prove({
    claim: 'Hostile mail ends nothing, blocks nothing, and is either readable or marked.',
    tried:
      'Mails from a grammar: nesting, headers, parameters, encodings, charsets, boundaries, HTML, every block of Unicode as a ' +
      'long run and in mixes, sizes up to the limit, and twenty odd mails cut off at every byte. Each is sent over SMTP and ' +
      'then read through list, search, message, raw mail, attachments, and the procedures and views of the dashboard.',
    figures: [
      counted('mails', run.sent),
      counted('blocks of 128 characters in long runs', mailGrammar(SEED).blocks),
      counted('mails refused by SMTP', run.refused),
      counted('mails parsed completely', run.readable),
      counted('mails marked as partial, failed or set aside', run.marked),
      atMost(0, 'accepted mails that are neither', run.lost.length),
      atMost(0, 'mails or attachments with other bytes', run.changed.length),
      atMost(0, 'mails that cannot be read in one of these ways', run.unreadable.length),
      atMost(0, 'exits', run.exits),
      atMost(STRETCH_MS_MAX, 'longest stretch of the event loop, best of 3 tries', round(run.stretchMs), 'ms'),
      counted('longest stretch at the first try', round(run.firstStretchMs), 'ms'),
      atMost(MEMORY_MIB_MAX, 'most memory (RSS)', run.memoryMiB, 'MiB'),
    ],
    control: {
      tried:
        'The same run with a program in which one mail blocks the event loop for 300 ms, one uses 1.1 GiB, one is removed ' +
        'before it is read, and one ends the process.',
      figures: [
        atMost(STRETCH_MS_MAX, 'longest stretch with a harmless mail', round(harmless.stretchMs), 'ms'),
        atLeast(STRETCH_MS_MAX + 1, 'longest stretch with the blocking mail', round(blocking.stretchMs), 'ms'),
        atLeast(MEMORY_MIB_MAX + 1, 'most memory', hoarding.memoryMiB, 'MiB'),
        atLeast(1, 'mails that cannot be read', removed.unreadable.length),
        atLeast(1, 'exits', deadly.exits),
      ],
    },
  })
})

const round = (value: number) => Math.round(value)
