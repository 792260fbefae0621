import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const VERSION = '20.20.2'
const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url))
const FOLDER = join(CACHE, 'node-20')

/**
 * The oldest Node that the SDK supports, installed on first use. Not a dependency, because its `node` binary would shadow
 * the one that everything else uses.
 */
export async function node20(): Promise<string> {
  const name = `node-linux-${process.arch}`
  const binary = join(FOLDER, 'node_modules', name, 'bin/node')
  if (!existsSync(binary)) await install(`${name}@${VERSION}`)
  return binary
}

/** Several processes may do this at once: each installs into a folder of its own, and the first one that is done provides it. */
async function install(name: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${FOLDER}-`)
  try {
    const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--silent']
    await promisify(execFile)('npm', ['install', ...options, '--prefix', folder, name])
    if (!existsSync(FOLDER)) renameSync(folder, FOLDER)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(FOLDER)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
