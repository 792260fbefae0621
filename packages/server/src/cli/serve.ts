import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readConfig, withPort, type Config } from '../program/config.ts'
import { SETTINGS, type Program } from '../program/settings.ts'
import { linkWith } from '../manage/one-time-tokens.ts'
import type { Running } from '../program/node.ts'
import { buildDashboard } from './dashboard.ts'
import { examples } from './examples.ts'

/** The process exits by then even if something hangs; supervisors commonly wait 30 s. */
const STOP_MS_MAX = 25_000

const PROGRAMS: { name: Program; description: string }[] = [
  { name: 'serve', description: 'Run everything in one process: API, inbox worker and SMTP.' },
  { name: 'api', description: 'Run only the API.' },
  {
    name: 'worker',
    description: 'Run only the inbox worker, which receives mail by SMTP and announces it to WEBHOOK_URL.',
  },
]

export function addServerCommands(program: Command): void {
  for (const { name, description } of PROGRAMS) {
    program
      .command(name)
      .description(description)
      .addHelpText(
        'after',
        () =>
          `\nSettings (environment variables, or a file passed with mailhatch --settings <file> …):\n${settingsHelp(name)}`,
      )
      .addHelpText(
        'after',
        examples(name === 'serve' ? 'mailhatch --settings mailhatch.env serve' : `mailhatch ${name}`),
      )
      .action(() => run(name))
  }
}

async function run(name: Program): Promise<void> {
  const config = readConfig(name)
  // Loaded here, because the other commands need little of the server and should not wait for it.
  const [{ createLogger }, programs] = await Promise.all([import('../observe/logger.ts'), import('../program/node.ts')])
  const start = { serve: programs.startServe, api: programs.startApi, worker: programs.startWorker }[name]
  const log = await createLogger(config.logLevel, process.stderr.isTTY)
  const stopped = stopSignal()
  const running = await start(config, log).catch((error: unknown) => {
    throw explainStartError(error)
  })
  console.log(welcome(config, running))
  if (running.apiPort !== null) await buildDashboard(log)
  await stopped
  setTimeout(() => process.exit(1), STOP_MS_MAX).unref()
  log.info({}, 'stopping')
  await running.close()
}

/** A second signal has no effect, because terminals and process managers often send two. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve())
  })
}

function explainStartError(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  const { code, port, path } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRINUSE') return new Error(`Port ${port} is in use. Stop the other program, or choose another port.`)
  if (['EACCES', 'EROFS', 'EPERM', 'ENOTDIR', 'EEXIST', 'ENOENT'].includes(code ?? '')) {
    return new Error(`${path ?? `Port ${port}`} cannot be used: ${error.message}. Check DATA_DIR and the ports.`)
  }
  return error
}

function welcome(config: Config, { apiPort, workerPort, smtpPort, firstStart }: Running): string {
  const url = `http://localhost:${apiPort}`
  const lines = ['Mailhatch is ready.', '']
  if (smtpPort !== null) lines.push(`  SMTP     ${config.smtpHost}:${smtpPort}`)
  if (apiPort !== null) lines.push(`  API      ${url}`)
  if (workerPort !== null) lines.push(`  Worker   http://localhost:${workerPort}`)
  if (!firstStart) {
    const keyFile = join(config.dataDir, 'api-key')
    if (apiPort !== null && existsSync(keyFile)) lines.push(`  API key  in ${keyFile}`)
    return [...lines, ''].join('\n')
  }
  const { apiKey, address, signInToken } = firstStart
  const signIn = linkWith(signInToken, 'sign-in', withPort(config, apiPort ?? config.port).appUrl)
  const [mailbox] = address.split('+')
  return [
    ...lines,
    `  Send to  ${address}${config.bootstrapDomain === null ? '' : '  (any address on this domain works)'}`,
    `  API key  ${apiKey}  (shown only once; stored in ${config.dataDir}/api-key)`,
    `  Sign in  ${signIn}  (works once, for 10 minutes; for a new link: mailhatch users sign-in-link)`,
    '',
    `Wait for the next mail to ${mailbox}:`,
    '',
    `  mailhatch wait --new --mailbox ${mailbox}`,
    '',
    'The same without the program; since keeps older mail out:',
    '',
    // The shell inserts the time.
    `  curl -H "Authorization: Bearer ${apiKey}" "${url}/v1/messages/latest?mailbox=${mailbox}&wait=60&since=$(date -u +%FT%TZ)"`,
    '',
  ].join('\n')
}

function settingsHelp(program: Program): string {
  const read = Object.values(SETTINGS).filter(({ parts }) => program === 'serve' || parts.includes(program))
  const width = Math.max(...read.map(({ variable }) => variable.length))
  return read
    .map((setting) => {
      const fallback = setting.default === null ? '' : ` Default: ${setting.default.replace(/^\((.*)\)$/, '$1')}.`
      return `  ${setting.variable.padEnd(width)}  ${setting.help}${fallback}`
    })
    .join('\n')
}
