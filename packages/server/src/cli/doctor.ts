import { ConnectionError } from '@mailhatch/sdk'
import { Option, type Command } from 'commander'
import { paint } from './color.ts'
import { findConnection, withSmtp, type Connection } from './connection.ts'
import type { ServerProgram } from './deep/installation.ts'
import { CHECKS, CHECKS_OF_SERVER, type CheckInput } from './doctor-checks.ts'
import { examples } from './examples.ts'
import { EXIT } from './failure.ts'
import { findingOf, skip, type NamedFinding } from './finding.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'
import { safeLines } from './terminal-text.ts'

/** Not from `deep/`, which is loaded on demand. */
const PROGRAMS: ServerProgram[] = ['serve', 'api', 'worker']
const COLORS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const
/** As wide as the longest name of a check. */
const NAME_WIDTH = 11
/** Under what a check says. */
const ADVICE_INDENT = ' '.repeat(NAME_WIDTH + 8)

type DoctorOptions = JsonOption & { dataDir: string; deep?: ServerProgram }

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('Check everything that mail needs to reach a test, and report problems.')
    .addOption(
      new Option(
        '--deep [program]',
        'examine instead what a server uses: disk, limits, clock, DNS, bucket, database. Run it with the settings of that server, which may be running. Which program (serve if left out)',
      )
        .choices(PROGRAMS)
        .preset('serve'),
    )
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText('after', examples('mailhatch doctor', 'mailhatch doctor --deep', 'mailhatch doctor --deep api'))
    .action(async (options: DoctorOptions) => {
      const connection = findConnection(command)
      const { dataDir, deep } = options
      const found = deep ? await deepFindings(deep, dataDir, connection) : findingsOf({ connection, dataDir })
      const findings: NamedFinding[] = []
      for await (const finding of found) {
        findings.push(finding)
        if (!wantsJson(options)) for (const line of linesOf(finding)) console.log(line)
      }
      const isHealthy = findings.every(({ state }) => state !== 'fail')
      if (wantsJson(options)) printJson({ healthy: isHealthy, findings }, options)
      if (!isHealthy) process.exitCode = EXIT.failure
    })
}

/** Loaded on demand: it needs much of the server. */
async function deepFindings(program: ServerProgram, dataDir: string, { url }: Connection) {
  const deep = await import('./deep/deep-checks.ts')
  return deep.deepFindings({ program, dataDir, url })
}

async function* findingsOf(input: CheckInput): AsyncGenerator<NamedFinding> {
  let isUnreachable = false
  for (const [check, run] of Object.entries(CHECKS)) {
    const isSkipped = isUnreachable && CHECKS_OF_SERVER.includes(check)
    const finding = isSkipped
      ? skip('not checked: the server is unreachable')
      : await run(input).catch((error: unknown) => {
          isUnreachable ||= error instanceof ConnectionError
          return findingOf(error)
        })
    yield { check, ...finding }
  }
}

function linesOf({ check, state, says, advice }: NamedFinding): string[] {
  const line = `${paint(COLORS[state], state.padEnd(4))}  ${check.padEnd(NAME_WIDTH)}  ${safeLines(says)}`
  return advice === undefined ? [line] : [line, `${ADVICE_INDENT}${safeLines(advice)}`]
}
