import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const RUN_MS_MAX = 200_000
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** What runs a command there: as the current user in a user namespace, or as root if that is not allowed. */
export const IN_NAMESPACE: [string, ...string[]][] = [
  ['unshare', '--map-root-user', '--net'],
  ['unshare', '--net'],
  ['sudo', '-n', 'unshare', '--net'],
]

/** Runs a script as root in its own network namespace, which has only a loopback interface that is down. */
export async function runInNetworkNamespace(
  script: string,
  { given = [], timeoutMs = RUN_MS_MAX }: { given?: string[]; timeoutMs?: number } = {},
): Promise<string> {
  const [command, ...words] = await findWay()
  const options = { timeout: timeoutMs, maxBuffer: OUTPUT_BYTES_MAX }
  const node = [process.execPath, '--conditions=mailhatch-source']
  return (await run(command!, [...words, ...node, script, ...given], options)).stdout
}

async function findWay(): Promise<string[]> {
  const problems: string[] = []
  for (const [command, ...words] of IN_NAMESPACE) {
    try {
      await run(command, [...words, 'ip', 'link', 'set', 'lo', 'up'], { timeout: RUN_MS_MAX })
      return [command, ...words]
    } catch (error) {
      problems.push(error instanceof Error ? error.message.trim() : String(error))
    }
  }
  throw new Error(
    'This test makes a network namespace, for which it needs Linux with unshare (util-linux), ip (iproute2) and either ' +
      `user namespaces or root:\n${problems.join('\n')}`,
  )
}
