import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { temporaryFolder } from './support/server.ts'

const BIN = fileURLToPath(new URL('../bin', import.meta.url))
const WORKSPACE = new URL('../../../package.json', import.meta.url)
const PACKAGE = `node-linux-${process.arch}`

let oldNode: string
beforeAll(async () => {
  oldNode = await node20()
})

/** Stands for the registry: installs the Node that runs this test, and records each call. */
const NPM = `#!/bin/sh
echo "$@" >> "$CALLS"
test "$1 $2" = "install --prefix" || exit 64
mkdir -p "$3/node_modules/${PACKAGE}/bin"
ln -s '${process.execPath}' "$3/node_modules/${PACKAGE}/bin/node"
`

/** The published files of the launcher outside of any checkout, with a program that prints its Node and its arguments. */
function install(npm = NPM) {
  const folder = temporaryFolder()
  cpSync(BIN, join(folder, 'bin'), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  mkdirSync(join(folder, 'path'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'dist/cli.js'), 'console.log(process.versions.node, ...process.argv.slice(2))')
  writeFileSync(join(folder, 'path/npm'), npm, { mode: 0o755 })
  writeFileSync(join(folder, 'calls'), '')
  const cache = join(folder, 'cache')
  const env = { PATH: `${join(folder, 'path')}:/usr/bin:/bin`, XDG_CACHE_HOME: cache, CALLS: join(folder, 'calls') }
  return {
    folder,
    cached: () => readdirSync(join(cache, 'mailhatch')),
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').split('\n').slice(0, -1),
    /** Runs `mailhatch <words>` on the old Node, after this code. */
    run: (words: string[], before = '') =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
        const preload = before === '' ? [] : [`--import=data:text/javascript,${encodeURIComponent(before)}`]
        execFile(oldNode, [...preload, join(folder, 'bin/mailhatch.js'), ...words], { env }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
        )
      }),
  }
}

test('on an old Node, a newer one is installed once, outside of the project', async () => {
  const { folder, run, calls, cached } = install()
  const first = await run(['serve', '--catch-all'])
  expect(first).toMatchObject({ code: 0, stdout: `${process.versions.node} serve --catch-all\n` })
  expect(first.stderr).toMatch(
    /^Mailhatch needs Node 24\.9 or newer; this is Node 20\.\S+ Installing node-linux-\S+ .*once\.\n$/,
  )
  // The version that the workspace installs, and so the tests run on.
  const { optionalDependencies } = JSON.parse(readFileSync(WORKSPACE, 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  expect(calls()).toEqual([
    expect.stringMatching(new RegExp(`--ignore-scripts .*${PACKAGE}@${optionalDependencies[PACKAGE]}$`)),
  ])
  expect(await run(['wait'])).toEqual({ code: 0, stdout: `${process.versions.node} wait\n`, stderr: '' })
  expect([calls().length, cached().length]).toEqual([1, 1])
  expect(readdirSync(folder)).not.toContain('node_modules')
})

test('several first starts at once do not disturb each other', async () => {
  const { run, cached } = install()
  const ended = await Promise.all(['one', 'two', 'three'].map((word) => run([word])))
  expect(ended.map(({ stdout }) => stdout.split(' ')[1])).toEqual(['one\n', 'two\n', 'three\n'])
  expect(cached()).toHaveLength(1)
})

const COMMAND = `Run: npx -y -p node@24 -p mailhatch mailhatch send --to 'a b'`.replaceAll("'", '"')

test.each([
  ['npm fails', '#!/bin/sh\nexit 7\n', '', 'npm exited with 7'],
  ['npm installs nothing', '#!/bin/sh\n', '', 'ENOENT'],
  ['the system is another one', NPM, `Object.defineProperty(process, 'platform', { value: 'darwin' })`, ''],
  ['the processor is another one', NPM, `Object.defineProperty(process, 'arch', { value: 'riscv64' })`, ''],
  ['there is no glibc', NPM, `process.report.getReport = () => ({ header: {} })`, ''],
])('if %s, the error contains the command that helps', async (_, npm, before, reason) => {
  const { run, folder } = install(npm)
  const { code, stdout, stderr } = await run(['send', '--to', 'a b'], before)
  expect([code, stdout]).toEqual([1, ''])
  const last = stderr.trimEnd().split('\n').at(-1)!
  expect(last).toMatch(/^Mailhatch needs Node 24\.9 or newer; this is Node 20\./)
  expect(last).toContain(reason)
  expect(last.endsWith(COMMAND)).toBe(true)
  // Nothing is left that a later start would take for a Node.
  expect(readdirSync(folder).includes('cache') ? readdirSync(join(folder, 'cache/mailhatch')) : []).toEqual([])
})

test('a Node package of the project is used if it is recent enough', async () => {
  const { folder, run, calls } = install()
  const addPackage = (version: string, node: string) => {
    const own = join(folder, 'node_modules', PACKAGE)
    mkdirSync(join(own, 'bin'), { recursive: true })
    writeFileSync(join(own, 'package.json'), JSON.stringify({ name: PACKAGE, version }))
    // A launcher that starts itself again and again must not fill the machine.
    const limit = 'echo >> "$CALLS.starts"; test "$(wc -l < "$CALLS.starts")" -lt 4 || exit 70'
    writeFileSync(join(own, 'bin/node'), `#!/bin/sh\n${limit}\nexec '${node}' "$@"\n`, { mode: 0o755 })
  }
  addPackage('24.9.0', process.execPath)
  expect(await run(['one'])).toMatchObject({ code: 0, stdout: `${process.versions.node} one\n`, stderr: '' })
  expect(calls()).toEqual([])
  // As old as the Node that runs the launcher: it must not start itself again and again.
  addPackage('24.6.9', oldNode)
  expect(await run(['two'])).toMatchObject({ code: 0, stdout: `${process.versions.node} two\n` })
  expect(calls()).toHaveLength(1)
})

test('the packages name the oldest Node that starts them', () => {
  const manifest = JSON.parse(readFileSync(join(dirname(BIN), 'package.json'), 'utf8')) as { engines: { node: string } }
  expect(manifest.engines.node).toBe('>=20')
})
