import { fileURLToPath } from 'node:url'
import { test } from 'vitest'
import { runDialogues } from '../hostile/smtp-run.ts'
import { startChild } from '../support/child-server.ts'
import { temporaryFolder } from '../support/server.ts'
import { atLeast, atMost, counted, progress, prove, SEED, type Figure } from './proof.ts'

const DIALOGUES = 10_000
const CONTROL_DIALOGUES = 300
const WITHOUT_GUARDS = ['--import', fileURLToPath(new URL('../hostile/without-smtp-guards.ts', import.meta.url))]
/** A server without guards may wait for the rest of a mail that the client has sent. */
const CONTROL_REPLY_MS_MAX = 1_000

async function run(options: { isTls: boolean; count: number; nodeArguments?: string[]; replyMsMax?: number }) {
  const { isTls, count, nodeArguments = [], ...limits } = options
  const dataDir = temporaryFolder()
  const environment = { DATA_DIR: dataDir, SMTP_STARTTLS: 'self-signed', RATE_LIMIT: 'off' }
  const server = await startChild({ environment, nodeArguments })
  const onProgress = (done: number) => progress(`${done} of ${count} dialogues${isTls ? ' with TLS' : ''}`)
  const found = await runDialogues({ server, dataDir, seed: SEED, count, isTls, onProgress, ...limits })
  for (const list of [found.unexplainedReplies, found.injectedReplies, found.unanswered, found.secondMessages])
    for (const fault of list.slice(0, 5)) progress(fault)
  const isRunning = server.process.exitCode === null && server.process.signalCode === null
  return { ...found, exits: isRunning ? 0 : 1, errors: server.complaints() === '' ? 0 : 1 }
}

const control = (isTls: boolean) =>
  run({ isTls, count: CONTROL_DIALOGUES, nodeArguments: WITHOUT_GUARDS, replyMsMax: CONTROL_REPLY_MS_MAX })

const CONTROL_TRIED =
  `${CONTROL_DIALOGUES} of the dialogues with a server that takes a dot between any two line ends for the end of a mail, ` +
  `and that keeps what it has read before the handshake.`

function figuresOf(found: Awaited<ReturnType<typeof run>>): Figure[] {
  return [
    counted('dialogues', found.dialogues),
    counted('acknowledged mails', found.acknowledged),
    atMost(0, 'messages that no client has sent', found.secondMessages.length),
    atMost(0, 'of these, to an address inside of a mail', found.canaries),
    atMost(0, 'acknowledged mails missing or changed', found.missing.length),
    atMost(0, 'messages listed twice', found.listedTwice),
    atMost(0, 'replies to something that is no command', found.unexplainedReplies.length),
    atMost(0, 'commands without a reply', found.unanswered.length),
    atMost(0, 'exits', found.exits),
    atMost(0, 'runs with a logged error', found.errors),
  ]
}

test('plain SMTP dialogues', async () => {
  const found = await run({ isTls: false, count: DIALOGUES })
  const unguarded = await control(false)
  prove({
    claim: 'An SMTP dialogue creates exactly the messages that it contains.',
    tried:
      'Dialogues from the grammar of RFC 5321: paths, parameters, chunks, malformed lines, mutations, cuts at any byte, ' +
      'pipelining, writes of one byte up to all, and mails with lines that look like their end, followed by commands.',
    figures: figuresOf(found),
    control: {
      tried: CONTROL_TRIED,
      figures: [
        atLeast(1, 'messages to an address inside of a mail', unguarded.canaries),
        atLeast(1, 'replies to something that is no command', unguarded.unexplainedReplies.length),
      ],
    },
  })
})

test('SMTP dialogues with STARTTLS', async () => {
  const found = await run({ isTls: true, count: DIALOGUES })
  const unguarded = await control(true)
  prove({
    claim: 'Commands that are injected before TLS are never answered.',
    tried:
      'The same dialogues after STARTTLS. In 40 % of them, someone between client and server adds commands behind STARTTLS, ' +
      'in the same packet or in the next.',
    figures: [...figuresOf(found), atMost(0, 'answers to commands injected before TLS', found.injectedReplies.length)],
    control: {
      tried: CONTROL_TRIED,
      figures: [
        atLeast(1, 'answers to commands injected before TLS', unguarded.injectedReplies.length),
        atLeast(1, 'messages that no client has sent', unguarded.secondMessages.length),
      ],
    },
  })
})
