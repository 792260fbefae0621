import { flushCompileCache } from 'node:module'
import { InvalidArgumentError, type Command } from 'commander'
import { PEER_NAMES } from '../compat/peers.ts'
import { findUnknown, findUnread, readConfig, withPort } from '../program/config.ts'
import { SETTINGS, type Program } from '../program/settings.ts'
import { linkWith } from '../manage/one-time-tokens.ts'
import { reasonOf } from '../domain/reason.ts'
import type { Log } from '../observe/log.ts'
import type { Running } from '../program/node.ts'
import { openInBrowser } from './browser.ts'
import { buildDashboard } from './dashboard.ts'
import { examples } from './examples.ts'
import { settingsHelp } from './settings-help.ts'
import { welcome } from './welcome.ts'

/** The process exits by then even if something hangs; supervisors commonly wait 30 s. */
const STOP_MS_MAX = 25_000

type ServerProgram = Exclude<Program, 'command'>
type Flags = {
  port?: string
  smtpPort?: string
  host?: string
  dataDir?: string
  catchAll?: boolean
  compat?: string
  open?: boolean
}

const PROGRAMS: { name: ServerProgram; description: string }[] = [
  { name: 'serve', description: 'Run everything in one process: API, inbox worker and SMTP.' },
  { name: 'api', description: 'Run only the API.' },
  {
    name: 'worker',
    description: 'Run only the inbox worker, which receives mail by SMTP and announces it to WEBHOOK_URL.',
  },
]

export function addServerCommands(program: Command): void {
  for (const { name, description } of PROGRAMS) {
    const command = program.command(name).description(description)
    if (name === 'serve') addFlags(command)
    command
      .addHelpText('after', () => settingsHelp(name))
      .addHelpText(
        'after',
        name === 'serve'
          ? examples('mailhatch --settings mailhatch.env serve', 'mailhatch serve --catch-all')
          : examples(`mailhatch ${name}`),
      )
      .action((flags: Flags) => run(name, flags))
  }
}

/** The settings that are also flags. A flag wins over every variable. */
function addFlags(command: Command): void {
  command
    .option('--port <port>', 'port of the API and the dashboard (PORT)', checkedBy(SETTINGS.port.parse))
    .option('--smtp-port <port>', 'port of the SMTP listener (SMTP_PORT)', checkedBy(SETTINGS.smtpPort.parse))
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all (HOST)')
    .option('--data-dir <folder>', 'folder for databases, secrets and mail (DATA_DIR)')
    .option('--catch-all', 'keep mail to every address, also on domains of other people (INBOX_CATCH_ALL=bootstrap)')
    .option(
      '--compat <name>',
      `serve the API of another mail catcher on port 8025: ${PEER_NAMES.join(', ')} (COMPAT)`,
      checkedBy(SETTINGS.compat.parse),
    )
    .option('--open', 'open the dashboard in a browser, signed in')
}

function checkedBy(check: (given: string) => unknown): (given: string) => string {
  return (given) => {
    try {
      check(given)
      return given
    } catch (error) {
      throw new InvalidArgumentError(`It ${reasonOf(error)}.`)
    }
  }
}

async function run(
  name: ServerProgram,
  { port, smtpPort, host, dataDir, catchAll, compat, open = false }: Flags,
): Promise<void> {
  const config = readConfig(name, undefined, {
    PORT: port,
    SMTP_PORT: smtpPort,
    HOST: host,
    DATA_DIR: dataDir,
    INBOX_CATCH_ALL: catchAll ? 'bootstrap' : undefined,
    COMPAT: compat,
  })
  // Loaded here, because the other commands need little of the server and should not wait for it.
  const [{ createLogger }, { collectWhenIdle }, programs, { createStuckWatch }] = await Promise.all([
    import('../observe/logger.ts'),
    import('../observe/idle-garbage.ts'),
    import('../program/node.ts'),
    import('../program/stuck-watch.ts'),
  ])
  const start = { serve: programs.startServe, api: programs.startApi, worker: programs.startWorker }[name]
  const log = createLogger(config.logLevel, process.stderr.isTTY)
  warnOfVariables(name, log)
  const stopped = stopSignal()
  // Only here: the watch ends its whole process, which is this program's own.
  const running = await start(config, log, { onMail: createStuckWatch(log) }).catch((error: unknown) => {
    throw explainStartError(error)
  })
  const token = running.firstStart?.signInToken ?? (process.stdout.isTTY ? await createToken(running) : null)
  console.log(welcome(config, running, token))
  collectWhenIdle()
  // Node only writes the cache at the end of a program. One that is killed would start as slowly as the first time.
  flushCompileCache()
  if (running.apiPort !== null) await buildDashboard(log)
  if (open) {
    const { appUrl } = withPort(config, running.apiPort ?? config.port)
    // A link of its own: the printed one works once too.
    const own = await createToken(running)
    const isOpen = await openInBrowser(own === null ? `${appUrl}/` : linkWith(own, 'sign-in', appUrl))
    if (!isOpen) console.log(`No browser could be opened. The dashboard is at ${appUrl}/`)
  }
  await stopped
  setTimeout(() => process.exit(1), STOP_MS_MAX).unref()
  log.info({}, 'stopping')
  await running.close()
}

/** Null if there is no owner to sign in. */
async function createToken({ createSignInToken }: Running): Promise<string | null> {
  return createSignInToken ? createSignInToken().catch(() => null) : null
}

function warnOfVariables(name: ServerProgram, log: Pick<Log, 'warn'>): void {
  for (const { name: variable, meant } of findUnknown()) {
    log.warn({ variable, ...(meant !== null && { didYouMean: meant }) }, 'this variable is not a setting')
  }
  for (const variable of findUnread(name)) {
    const advice = 'create a team and a key with: mailhatch teams create, mailhatch keys create'
    log.warn({ variable }, `only mailhatch serve uses this variable, at its first start; ${advice}`)
  }
}

/** A second signal has no effect, because terminals and process managers often send two. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve())
  })
}

function explainStartError(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  const { code, path } = error as NodeJS.ErrnoException
  if (path !== undefined && ['EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code ?? '')) {
    return new Error(`${path} cannot be used: ${error.message}. Choose another DATA_DIR, or make this one usable.`)
  }
  return error
}
