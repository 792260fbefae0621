import { test } from 'vitest'
import { runDialogues, type SmtpRun } from '../hostile/smtp-run.ts'
import { startChild } from '../support/child-server.ts'
import { preload } from '../support/preload.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, progress, prove, SEED, type Figure } from './proof.ts'

const DIALOGUES = 10_000
const CONTROL_DIALOGUES = 300
/** Enough that the command that ends the program, and injected commands, are among them. */
const ONE_FAULT_DIALOGUES = 50
/** Some dialogues have no mail, and in others it is refused or cut off. */
const ACKNOWLEDGED_SHARE_MIN = 0.5
/** Four in ten are generated with an attacker. */
const INJECTED_SHARE_MIN = 0.35
/** A server without guards may wait for the rest of a mail that the client has sent. */
const CONTROL_REPLY_MS_MAX = 1_000

const WITH_FAULTS = preload(
  'hostile/without-smtp-guards.ts',
  'hostile/silent-to-commands.ts',
  'crash/careless-storing.ts',
)
const EXECUTES_BEFORE_TLS = preload('hostile/executes-before-tls.ts')
const ENDED_BY_QUIT = preload('hostile/ended-by-quit.ts')

type RunOptions = { isTls: boolean; count: number; nodeArguments?: string[]; replyMsMax?: number }
type Found = SmtpRun & { hasComplained: boolean }

async function run({ isTls, count, nodeArguments = [], ...limits }: RunOptions): Promise<Found> {
  const dataDir = temporaryFolder()
  const environment = { DATA_DIR: dataDir, SMTP_STARTTLS: 'self-signed', RATE_LIMIT: 'off' }
  const server = await startChild({ environment, nodeArguments })
  const onProgress = (done: number) => progress(`${done} of ${count} dialogues${isTls ? ' with TLS' : ''}`)
  const found = await runDialogues({ server, dataDir, seed: SEED, count, isTls, onProgress, ...limits })
  return { ...found, hasComplained: server.complaints() !== '' }
}

const UNSOLICITED = 'unsolicited replies'
const SECOND = 'second messages: stored or listed, but not sent by a client'
const SMUGGLED = 'of these, for an address that only smuggled or injected commands name'
const MISSING = 'acknowledged messages missing or changed'
const UNANSWERED = 'commands and messages without a reply'
const EXITS = 'programs that ended'
const COMPLAINTS = 'programs that logged an error'
const INJECTED = 'replies to commands injected before TLS'
const PLAIN = 'replies in plain text during a TLS handshake'

function figuresOf(found: Found): Figure[] {
  return [
    atLeast(DIALOGUES, 'dialogues', found.dialogues),
    atLeast(DIALOGUES * ACKNOWLEDGED_SHARE_MIN, 'acknowledged messages', found.acknowledged),
    atMost(0, SECOND, found.secondMessages.length),
    atMost(0, SMUGGLED, found.canaries),
    atMost(0, MISSING, found.missing.length),
    atMost(0, UNSOLICITED, found.unexplainedReplies.length),
    atMost(0, UNANSWERED, found.unanswered.length),
    atMost(0, EXITS, Number(found.hasExited)),
    atMost(0, COMPLAINTS, Number(found.hasComplained)),
  ]
}

const CONTROL_TRIED =
  `${CONTROL_DIALOGUES} of the dialogues with a program that takes a dot between any two line ends for the end of a mail, ` +
  'keeps what it has read before the handshake, does not reply to HELP and to unknown commands, changes a byte of one mail in ten, and stores one ' +
  `in ten twice; and ${ONE_FAULT_DIALOGUES} with a program that QUIT ends.`

async function control(isTls: boolean): Promise<{ faulty: Found; figures: Figure[] }> {
  progress('control')
  const faulty = await run({
    isTls,
    count: CONTROL_DIALOGUES,
    nodeArguments: WITH_FAULTS,
    replyMsMax: CONTROL_REPLY_MS_MAX,
  })
  const ended = await run({ isTls, count: ONE_FAULT_DIALOGUES, nodeArguments: ENDED_BY_QUIT })
  return {
    faulty,
    figures: [
      atLeast(1, SECOND, faulty.secondMessages.length),
      atLeast(1, SMUGGLED, faulty.canaries),
      atLeast(1, MISSING, faulty.missing.length),
      atLeast(1, UNSOLICITED, faulty.unexplainedReplies.length),
      atLeast(1, UNANSWERED, faulty.unanswered.length),
      atLeast(1, EXITS, Number(ended.hasExited)),
      atLeast(1, COMPLAINTS, Number(ended.hasComplained)),
    ],
  }
}

/** The first faults of each kind, to find their cause. */
function show({ unexplainedReplies, injectedReplies, plainReplies, ...found }: Found): void {
  const { unanswered, secondMessages, missing } = found
  for (const list of [unexplainedReplies, injectedReplies, plainReplies, unanswered, secondMessages, missing])
    for (const fault of list.slice(0, 5)) progress(fault)
}

test('plain SMTP dialogues', async () => {
  const found = await run({ isTls: false, count: DIALOGUES })
  show(found)
  const { figures } = await control(false)
  prove({
    claim: 'An SMTP dialogue creates exactly the messages that it acknowledges, with the bytes that were sent.',
    tried:
      'Dialogues from the grammar of RFC 5321: paths, parameters, chunks, malformed lines, mutations, cuts at any byte, ' +
      'pipelining, writes of one byte up to all, and messages with lines that look like their end, followed by commands.',
    figures: figuresOf(found),
    control: { tried: CONTROL_TRIED, figures },
  })
})

test('SMTP dialogues with STARTTLS', async () => {
  const found = await run({ isTls: true, count: DIALOGUES })
  show(found)
  const { faulty, figures } = await control(true)
  const executing = await run({
    isTls: true,
    count: ONE_FAULT_DIALOGUES,
    nodeArguments: EXECUTES_BEFORE_TLS,
    replyMsMax: CONTROL_REPLY_MS_MAX,
  })
  prove({
    claim:
      'Commands that are injected before TLS get no reply and no effect, and dialogues after the handshake are safe.',
    tried:
      'The same dialogues after STARTTLS. In 40 % of them, an attacker in the middle adds commands behind STARTTLS, in the ' +
      'same packet or in the next. What the server sends until the handshake is done or broken is recorded: a reply there is ' +
      'plain text. The client then connects once more without the attacker.',
    figures: [
      atLeast(DIALOGUES, 'dialogues after a TLS handshake', found.encrypted),
      atLeast(DIALOGUES * INJECTED_SHARE_MIN, 'connections with injected commands', found.injected),
      ...figuresOf(found),
      atMost(0, INJECTED, found.injectedReplies.length),
      atMost(0, PLAIN, found.plainReplies.length),
    ],
    control: {
      tried: `${CONTROL_TRIED} ${ONE_FAULT_DIALOGUES} with a program that executes injected commands before the handshake.`,
      figures: [
        ...figures,
        atLeast(1, INJECTED, faulty.injectedReplies.length),
        atLeast(1, PLAIN, executing.plainReplies.length),
      ],
    },
  })
})
