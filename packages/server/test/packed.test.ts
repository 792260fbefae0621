import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const NPM = { cwd: ROOT, env: { ...process.env, npm_config_loglevel: 'error' } }

/** What `npm install mailhatch` would lay down: the packed files, with the dependencies of this checkout. */
async function installPacked(): Promise<string> {
  const folder = temporaryFolder()
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@mailhatch'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!['mailhatch', '@mailhatch', '.bin'].includes(name)) {
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
    }
  }
  const names = ['@mailhatch/sdk', 'mailhatch']
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--pack-destination', folder, ...names.flatMap((name) => ['-w', name])],
    NPM,
  )
  const packed = JSON.parse(stdout) as
    | { name: string; filename: string }[]
    | Record<string, { name: string; filename: string }>
  for (const { name, filename } of Object.values(packed)) {
    mkdirSync(join(modules, name))
    await run('tar', ['-xzf', join(folder, filename), '-C', join(modules, name), '--strip-components=1'])
  }
  return modules
}

test('the packed program runs without the source', async () => {
  await run('npm', ['run', 'build'], NPM)
  const modules = await installPacked()
  expect(readdirSync(join(modules, 'mailhatch')).sort()).toEqual(['bin', 'dist', 'package.json'])
  const child = spawn(process.execPath, [join(modules, 'mailhatch/bin/mailhatch.js'), 'serve'], {
    cwd: temporaryFolder(),
    env: { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  let printed = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk
    if (printed.includes('curl')) break
  }
  const url = /API\s+(\S+)/.exec(printed)![1]!
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'ok' })
})
