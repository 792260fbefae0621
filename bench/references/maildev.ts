import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort, startProgram } from '../programs.ts'
import type { SmtpTarget } from './smtp-target.ts'

const VERSION = '3.0.0'
export const MAILDEV = `MailDev ${VERSION}`
/** The newest installable version; later ones depend on packages that are not published. */
const MAILPARSER_VERSION = '3.9.31'
const INSTALL_MS_MAX = 180_000

/** Installs MailDev into the system's temporary folder, where the next run finds it. Resolves to its program. */
export async function installMailDev(): Promise<string> {
  const folder = join(tmpdir(), `mailhatch-bench-maildev-${VERSION}`)
  const finished = join(folder, 'installed')
  if (!existsSync(finished)) {
    await mkdir(folder, { recursive: true })
    const manifest = {
      private: true,
      dependencies: { maildev: VERSION },
      overrides: { mailparser: MAILPARSER_VERSION },
    }
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_MS_MAX })
    await writeFile(finished, '')
  }
  return join(folder, 'node_modules', 'maildev', 'dist', 'bin', 'maildev.js')
}

/** With its default in-memory store, and without its web interface, which would slow it down. */
export async function startMailDev(file: string, folder: string): Promise<SmtpTarget> {
  const port = await freePort()
  const program = startProgram({
    name: MAILDEV,
    command: process.execPath,
    args: [file, '--smtp', String(port), '--ip', '127.0.0.1', '--disable-web'],
    folder,
  })
  await program.listening(port)
  return { name: MAILDEV, smtpPort: port, stop: program.stop }
}
