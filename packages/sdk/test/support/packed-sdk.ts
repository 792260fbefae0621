import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildSdk } from '../../../../scripts/build-sdk.ts'

const run = promisify(execFile)
const SDK = fileURLToPath(new URL('../..', import.meta.url))

/** Builds and packs the SDK outside its own folder, and installs it in the given one as npm would. */
export async function installPackedSdk(folder: string): Promise<{ tarball: string; installed: string }> {
  const source = join(folder, 'source')
  const installed = join(folder, 'node_modules/@mailhatch/sdk')
  for (const path of [source, installed]) mkdirSync(path, { recursive: true })
  for (const name of ['package.json', 'README.md', 'LICENSE']) copyFileSync(join(SDK, name), join(source, name))
  buildSdk(join(source, 'dist'))
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source })
  const tarball = join(folder, stdout.trim())
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'])
  return { tarball, installed }
}
