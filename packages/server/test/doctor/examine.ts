import { installationOf, type Installation, type ServerProgram } from '../../src/cli/deep/installation.ts'
import type { Finding, NamedFinding } from '../../src/cli/finding.ts'
import { readConfig } from '../../src/program/config.ts'
import { runToExit } from '../support/in-process.ts'

export type Report = { code: number; healthy: boolean; of: (check: string) => Finding; findings: NamedFinding[] }

/** Runs `mailhatch doctor --deep` in this process, with these settings. */
export async function examine(environment: Record<string, string>, program: ServerProgram = 'serve'): Promise<Report> {
  const { code, stdout, stderr } = await runToExit(['doctor', '--deep', program, '--json'], environment)
  if (stdout === '') throw new Error(stderr)
  // The command's own format.
  const { healthy, findings } = JSON.parse(stdout) as Pick<Report, 'healthy' | 'findings'>
  return { code, healthy, findings, of: (check) => findings.find((one) => one.check === check)! }
}

/** What a single check looks at, for tests that replace a part of the world. */
export function installation(
  environment: Record<string, string>,
  { program = 'serve', apiUrl = 'http://127.0.0.1:1' }: { program?: ServerProgram; apiUrl?: string } = {},
): Installation {
  return installationOf(program, readConfig(program, environment), apiUrl)
}
