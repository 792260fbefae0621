import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const VERSION = '20.20.2'
const FOLDER = fileURLToPath(new URL('../../../../node_modules/.cache/node-20', import.meta.url))

/**
 * The oldest Node that the SDK supports, installed on first use. Not a dependency, because its `node` binary would shadow
 * the one that everything else uses.
 */
export async function node20(): Promise<string> {
  const name = `node-linux-${process.arch}`
  const binary = join(FOLDER, 'node_modules', name, 'bin/node')
  if (!existsSync(binary)) {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent']
    await promisify(execFile)('npm', ['install', ...options, '--prefix', FOLDER, `${name}@${VERSION}`])
  }
  return binary
}
