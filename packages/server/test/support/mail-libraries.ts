import { execFile } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { basename, delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { REPOSITORY } from './markdown.ts'
import { temporaryFolder } from './server.ts'

const run = promisify(execFile)
export const FRAMEWORKS = join(REPOSITORY, 'examples/frameworks')

/** Installs Python packages from PyPI. Returns the folder, for PYTHONPATH. */
export async function installPython(...packages: string[]): Promise<string> {
  const folder = temporaryFolder(afterAll)
  await required(`pip could not install ${packages.join(' and ')}`, () =>
    run('pip', ['install', '--quiet', '--target', folder, ...packages]),
  )
  return folder
}

/** Downloads the source of a Python package, with its tests if it publishes them. Returns its folder. */
export async function downloadPythonSource(name: string, version: string): Promise<string> {
  const folder = temporaryFolder(afterAll)
  const spec = `${name}==${version}`
  await required(`pip could not download the source of ${spec}`, async () => {
    await run('pip', ['download', '--quiet', '--no-binary', ':all:', '--no-deps', '--dest', folder, spec])
    const [archive] = readdirSync(folder)
    await run('tar', ['xzf', archive!], { cwd: folder })
  })
  const unpacked = readdirSync(folder, { withFileTypes: true }).find((entry) => entry.isDirectory())
  return join(folder, unpacked!.name)
}

/** Builds the example with Spring Boot. Returns the path of a program for `java -jar`. */
export async function buildSpring(): Promise<string> {
  const folder = await buildWithMaven(join(FRAMEWORKS, 'spring'), ['package'])
  return join(folder, 'target/send-mail-1.jar')
}

/** Builds the sender with Angus Mail. Returns the path for `java -cp`, in which its class is `SendMail`. */
export async function buildAngus(): Promise<string> {
  const source = join(import.meta.dirname, '../senders/angus')
  const folder = await buildWithMaven(source, ['compile', 'dependency:copy-dependencies'])
  return [join(folder, 'target/classes'), join(folder, 'target/dependency/*')].join(delimiter)
}

/** With packages from Maven's registry. Returns the folder. */
async function buildWithMaven(source: string, goals: string[]): Promise<string> {
  const folder = temporaryFolder(afterAll)
  cpSync(source, folder, { recursive: true })
  await required(`Maven could not build ${basename(source)}`, () => run('mvn', ['-q', '-B', ...goals], { cwd: folder }))
  return folder
}

/** Installs Nodemailer from npm beside the example. Returns the folder with `nodemailer.mjs`. */
export async function installNodemailer(env: Record<string, string | undefined> = process.env): Promise<string> {
  const folder = temporaryFolder(afterAll)
  cpSync(join(FRAMEWORKS, 'nodemailer.js'), join(folder, 'nodemailer.mjs'))
  await installFromNpm(folder, ['nodemailer@10.4.0'], env)
  return folder
}

export async function installFromNpm(
  folder: string,
  words: string[],
  env: Record<string, string | undefined> = process.env,
): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  await required(`npm could not install ${words.join(' and ')}`, () =>
    run('npm', ['install', ...quiet, ...words], { cwd: folder, env }),
  )
}

/** A library that is missing fails the test with this sentence: a page calls it tried. */
async function required(failure: string, work: () => Promise<unknown>): Promise<void> {
  await work().catch((cause: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${failure}: ${cause.message}\n${cause.stdout ?? ''}`, { cause })
  })
}
