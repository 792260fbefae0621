import { onTestFinished, vi } from 'vitest'
import { withCommand } from '../../src/cli/default-command.ts'
import { createProgram } from '../../src/cli/program.ts'

/**
 * Runs a command in this process and resolves to what it printed; rejects as it fails. For tests of many commands, because
 * a process of its own takes half a second each.
 */
export async function runHere(words: string[], environment: Record<string, string>): Promise<string> {
  // A command gives DATA_DIR the value that wins, so it is restored even if it was not given.
  for (const [name, value] of Object.entries({ DATA_DIR: undefined, ...environment })) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text))
  const usage = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await createProgram('0.0.0').parseAsync(withCommand(words), { from: 'user' })
    return printed.join('\n')
  } finally {
    log.mockRestore()
    usage.mockRestore()
    vi.unstubAllEnvs()
  }
}
