import { createHmac } from 'node:crypto'
import { InvalidArgumentError, type Command } from 'commander'
import { clientOf, findConnection, withConnection } from './connection.ts'
import { examples } from './examples.ts'
import { followAndForward } from './follow-and-forward.ts'
import { createForward } from './forward.ts'
import { reportJson, reportLines } from './listen-report.ts'
import { untilStopped } from './stop-signal.ts'

/** One page of the API. */
const REPLAY_MAX = 200

type ListenOptions = {
  forwardTo?: string
  mailbox?: string
  tag?: string
  headers?: Headers
  replayLast?: number
  secret?: string
  printSecret?: boolean
  json?: boolean
}

export function addListenCommand(program: Command): void {
  const command = program
    .command('listen')
    .description('Forward new mail to a webhook receiver on this machine, signed like a delivery by the server.')
    .option('--forward-to <url>', 'URL of the receiver, such as http://localhost:3000/hook', readTarget)
    .option('--mailbox <mailbox>', 'only mail to this mailbox')
    .option('--tag <tag>', 'only mail with this tag')
    .option('--headers <header...>', 'additional headers, each as "Name: value"', readHeader)
    .option('--replay-last <n>', 'first forward the last n messages', readReplay)
    .option('--secret <secret>', 'signing secret (default: derived from the API key)', readSecret)
    .option('--print-secret', 'print the signing secret and exit')
    .option('--json', 'print one JSON object per line')
  withConnection(command)
    .addHelpText('after', examples('mailhatch listen --forward-to http://localhost:3000/hook --mailbox qa'))
    .action((options: ListenOptions) => listen(options, command))
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const { forwardTo: target, mailbox, tag, headers = new Headers(), replayLast = 0 } = options
  if (target === undefined && !options.printSecret)
    command.error('error: pass --forward-to with the URL of the receiver, such as http://localhost:3000/hook')
  const connection = findConnection(command)
  const mailhatch = clientOf(connection)
  // clientOf throws without a key.
  const secret = options.secret ?? secretOf(connection.apiKey!.value)
  if (options.printSecret || target === undefined) return console.log(secret)

  const isJson = options.json ?? !process.stdout.isTTY
  const report = isJson ? reportJson(console.log) : reportLines(console.log, () => new Date())
  const forward = createForward({ target, secret, headers })
  const filter = { ...(mailbox === undefined ? {} : { mailbox }), ...(tag === undefined ? {} : { tag }) }
  await untilStopped((signal) =>
    followAndForward(
      { mailhatch, forward, report, signal },
      { filter, replayLast, onReady: () => report.ready({ secret, target }) },
    ),
  )
}

/** The same on every start, so that the receiver's settings stay valid. The key cannot be derived from it. */
function secretOf(apiKey: string): string {
  return `whsec_${createHmac('sha256', apiKey).update('mailhatch listen').digest('base64')}`
}

function readTarget(text: string): string {
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  // A number alone is meant as a port, but URLs read it as an IP address.
  if (!isWeb || /^\d+$/.test(text)) throw new InvalidArgumentError('Expected a URL such as http://localhost:3000/hook.')
  return url.href
}

function readHeader(text: string, previous: Headers | undefined): Headers {
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(text) ?? []
  const headers = new Headers(previous)
  try {
    headers.append(name, value)
  } catch {
    throw new InvalidArgumentError('Expected "Name: value".')
  }
  return headers
}

function readReplay(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > REPLAY_MAX) throw new InvalidArgumentError(`Expected a number from 1 to ${REPLAY_MAX}.`)
  return count
}

function readSecret(text: string): string {
  if (!/^whsec_[A-Za-z\d+/]{4,}={0,2}$/.test(text))
    throw new InvalidArgumentError('Expected whsec_ followed by base64.')
  return text
}
