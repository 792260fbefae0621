import { ConnectionError } from '@mailhatch/sdk'
import type { Command } from 'commander'
import { paint } from './color.ts'
import { findConnection, withSmtp } from './connection.ts'
import { CHECKS, CHECKS_OF_SERVER, type Finding } from './doctor-checks.ts'
import { examples } from './examples.ts'
import { EXIT } from './failure.ts'
import { printJson, wantsJson, type JsonOption } from './output.ts'
import { safeLines } from './terminal-text.ts'

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red', skip: 'gray' } as const

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('Check everything that mail needs to reach a test, and report problems.')
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText('after', examples('mailhatch doctor'))
    .action(async (options: JsonOption & { dataDir: string }) => {
      const input = { connection: findConnection(command), dataDir: options.dataDir }
      const findings: (Finding & { check: string })[] = []
      let isUnreachable = false
      const failed = (error: unknown): Finding => {
        isUnreachable ||= error instanceof ConnectionError
        return findingOf(error)
      }
      for (const [check, run] of Object.entries(CHECKS)) {
        const isSkipped = isUnreachable && CHECKS_OF_SERVER.includes(check)
        const finding = isSkipped ? SKIPPED : await run(input).catch(failed)
        findings.push({ check, ...finding })
        if (!wantsJson(options)) console.log(lineOf(check, finding))
      }
      const isHealthy = findings.every(({ state }) => state !== 'fail')
      if (wantsJson(options)) printJson({ healthy: isHealthy, findings }, options)
      if (!isHealthy) process.exitCode = EXIT.failure
    })
}

const SKIPPED: Finding = { state: 'skip', says: 'not checked: the server is unreachable' }

/** A check that throws has failed. */
function findingOf(error: unknown): Finding {
  return { state: 'fail', says: error instanceof Error ? error.message : String(error) }
}

function lineOf(check: string, { state, says }: Finding): string {
  return `${paint(COLORS[state], state.padEnd(4))}  ${check.padEnd(8)}  ${safeLines(says)}`
}
