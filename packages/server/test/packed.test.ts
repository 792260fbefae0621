import { execFile, spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Mailhatch } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { bytesOnDisk, filesBelow, KINDS, packagesIn, pathsIn, problemsOf, tracesIn } from './support/packed-files.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)
const ROOT = resolve(import.meta.dirname, '../../..')
const NPM = { cwd: ROOT, env: { ...process.env, npm_config_loglevel: 'error' } }
/** `npx mailhatch` downloads them at every first use, also in CI. */
const PACKAGES_MAX = 60
const INSTALLED_BYTES_MAX = 41e6

const folder = mkdtempSync(join(tmpdir(), 'mailhatch-packed-'))
const program = join(folder, 'node_modules/mailhatch')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let printedByInstall: string

/** The files that `npm install mailhatch @mailhatch/sdk` creates in an empty folder, on the oldest Node that starts them. */
beforeAll(async () => {
  await run('npm', ['run', 'build'], NPM)
  await run('npm', ['pack', '--pack-destination', folder, '-w', '@mailhatch/sdk', '-w', 'mailhatch'], NPM)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=warn']
  const env = { ...NPM.env, PATH: `${dirname(await node20())}:${process.env['PATH']}` }
  const installed = await run('npm', ['install', ...options, ...tarballs.map((name) => `./${name}`)], {
    env,
    cwd: folder,
  })
  printedByInstall = installed.stderr
})

/** Without the variables of this run and the binaries of this checkout. */
const environment = () => ({ PATH: process.env['PATH']!, HOME: process.env['HOME'] ?? '' })

test('a package without its build is not packed', async () => {
  const manifests = ['sdk', 'server'].map((name) => resolve(import.meta.dirname, `../../${name}/package.json`))
  // Both have the same check, so that one is enough to run.
  const checks = manifests.map((path) => JSON.parse(readFileSync(path, 'utf8')) as { scripts: { prepack: string } })
  expect(checks[0]!.scripts.prepack).toBe(checks[1]!.scripts.prepack)
  const source = join(folder, 'unbuilt')
  mkdirSync(source)
  copyFileSync(manifests[0]!, join(source, 'package.json'))
  const packing = run('npm', ['pack', '--dry-run'], { ...NPM, cwd: source })
  await expect(packing).rejects.toMatchObject({ stderr: expect.stringContaining('Run npm run build') })
  // Control: with a build it is packed.
  mkdirSync(join(source, 'dist'))
  await run('npm', ['pack', '--dry-run'], { ...NPM, cwd: source })
})

test('the packed program runs without the source, and captures a mail', async () => {
  const child = spawn('npx', ['--no', 'mailhatch'], {
    cwd: folder,
    env: {
      ...environment(),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_PORT: '0',
      DISK_FREE_MIN: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: temporaryFolder(),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  // Includes the processes that npx starts.
  onTestFinished(() => void process.kill(-child.pid!, 'SIGTERM'))
  let printed = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    printed += chunk
    if (printed.includes('curl')) break
  }
  const url = /API\s+(http:\S+)/.exec(printed)![1]!
  const smtpPort = /SMTP\s+\S+:(\d+)/.exec(printed)![1]!
  const sdk = new Mailhatch({ url, apiKey: /API key\s+(\S+)/.exec(printed)![1]! })
  const inbox = await sdk.addresses.create()
  const transport = createTransport({ host: '127.0.0.1', port: Number(smtpPort) })
  await transport.sendMail({
    from: 'a@shop.example',
    to: inbox.address,
    subject: 'Hello',
    text: 'Your code is 482913.',
  })
  expect((await inbox.waitFor({ subject: 'Hello' })).code()).toBe('482913')
})

const PACKAGES: [string, RegExp][] = [
  ['packages/sdk', /^mailhatch-sdk-\d/],
  ['packages/server', /^mailhatch-\d/],
]

describe.each(PACKAGES)('the tarball of %s', (source, name) => {
  const tarball = () => join(folder, readdirSync(folder).filter((each) => name.test(each))[0]!)
  const manifest = () => JSON.parse(readFileSync(join(ROOT, source, 'package.json'), 'utf8')) as { name: string }
  const installed = () => join(folder, 'node_modules', manifest().name)

  test('has exactly the kinds of files that belong to it', async () => {
    const kinds = KINDS[source]!
    const paths = await pathsIn(tarball())
    expect(problemsOf(kinds, paths)).toEqual([])
    for (const wrong of ['src/a.ts', 'dist/a.js.map', 'dist/test/a.js', 'dist/a.test.js', '.env']) {
      expect(problemsOf(kinds, [...paths, wrong])).not.toEqual([])
    }
    const withoutTypes = paths.filter((path) => !/\.d\.c?ts$/.test(path))
    expect(problemsOf(kinds, withoutTypes)).not.toEqual([])
  })

  test('has no traces of the machine that built it', () => {
    const files = [...filesBelow(installed())]
    expect(files.length).toBeGreaterThan(20)
    for (const { path, text } of files) expect([path, tracesIn(text)]).toEqual([path, []])
    expect(tracesIn(`from '${ROOT}/a.ts'\n//# sourceMappingURL=a.js.map`)).toHaveLength(2)
  })

  test('says what it is, under which licence, and where its source is', () => {
    const read = (file: string) => readFileSync(join(installed(), file), 'utf8')
    expect(read('LICENSE')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'))
    expect(read('README.md')).toMatch(/^# \S+\n\n[^]{500}/)
    expect(JSON.parse(read('package.json'))).toMatchObject({
      license: 'MIT',
      description: expect.stringMatching(/\w{3}/),
      keywords: expect.arrayContaining(['email', 'testing']),
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:\/\/\S+\.git$/), directory: source },
      types: expect.stringMatching(/\.d\.c?ts$/),
      engines: { node: '>=20' },
    })
  })
})

test('what is installed is small, and without a compiler', () => {
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>
  }
  const names = Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, ''))
  expect(names).toEqual(expect.arrayContaining(['mailhatch', '@mailhatch/sdk', 'hono']))
  expect(names.length).toBeLessThanOrEqual(PACKAGES_MAX)
  expect(bytesOnDisk(join(folder, 'node_modules'))).toBeLessThan(INSTALLED_BYTES_MAX)
  expect(names.filter((name) => /typescript|esbuild|rolldown|swc|babel|^node-/.test(name))).toEqual([])
  // Nothing that the scripts of a project could run by mistake.
  expect(readdirSync(join(folder, 'node_modules/.bin')).filter((name) => /^(tsc|node|npm)$/.test(name))).toEqual([])
})

test('installing prints no warnings on Node 20', () => {
  // Of the machine that runs this test.
  const isOwn = (line: string) => /Unknown (user|env|global|builtin) config/.test(line)
  expect(printedByInstall.split('\n').filter((line) => line !== '' && !isOwn(line))).toEqual([])
})

test('the packed program imports only what it depends on', () => {
  const { dependencies } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const imported = new Set<string>()
  for (const part of ['bin', 'lib', 'dist']) {
    for (const { path, text } of filesBelow(join(program, part))) {
      // The dashboard runs in a browser, from its own folder.
      if (path.endsWith('.js') && !path.startsWith('dashboard/')) packagesIn(text).forEach((name) => imported.add(name))
    }
  }
  expect([...imported].sort()).toEqual(Object.keys(dependencies).sort())
})

test('the packed program is a library too, with import and require', async () => {
  const load = "load('mailhatch').then(({ startMailhatch }) => console.log(typeof startMailhatch))"
  writeFileSync(join(folder, 'load.mjs'), `const load = (name) => import(name); ${load}`)
  writeFileSync(join(folder, 'load.cjs'), `const load = async (name) => require(name); ${load}`)
  for (const node of [await node20(), process.execPath]) {
    for (const script of ['load.mjs', 'load.cjs']) {
      expect(await run(node, [script], { cwd: folder })).toEqual({ stdout: 'function\n', stderr: '' })
    }
  }
})

test('on Node 20 the packed program starts on the Node that it has installed', async () => {
  const cache = join(temporaryFolder(), 'mailhatch')
  mkdirSync(cache)
  const [, version] = /VERSION = '(.+)'/.exec(readFileSync(join(program, 'bin/newer-node.js'), 'utf8'))!
  symlinkSync(process.execPath, join(cache, `node-${version}-${process.arch}`))
  const options = { cwd: folder, env: { ...environment(), XDG_CACHE_HOME: dirname(cache) } }
  const started = await run(await node20(), [join(program, 'bin/mailhatch.js'), '--version'], options)
  expect(started).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
})

test('on Node 20 startMailhatch installs a newer Node, through the proxy and with the certificates of the machine', async () => {
  const home = temporaryFolder()
  // In place of npm: notes its environment, and installs the Node of these tests in the folder of --prefix.
  const node = `node_modules/node-${process.platform}-${process.arch}/bin`
  const npm = `#!/bin/sh\nenv > ${home}/variables\nmkdir -p "$3/${node}" && ln -s ${process.execPath} "$3/${node}/node"\n`
  writeFileSync(join(home, 'npm'), npm, { mode: 0o755 })
  writeFileSync(
    join(folder, 'start.mjs'),
    `import { startMailhatch } from '@mailhatch/sdk/server'
    const { url, close } = await startMailhatch({ settings: { DISK_FREE_MIN: '0' } })
    console.log(process.version, (await fetch(url + '/health')).status)
    await close()`,
  )
  const needed = {
    HTTPS_PROXY: 'http://proxy.example:3128',
    no_proxy: 'localhost',
    NODE_EXTRA_CA_CERTS: join(home, 'company.pem'),
    npm_config_registry: 'https://packages.example/',
    XDG_CACHE_HOME: join(home, 'cache'),
  }
  const env = { ...environment(), ...needed, PATH: `${home}:${process.env['PATH']}`, PORT: '1', SHOP_SECRET: 'private' }
  const { stdout } = await run(await node20(), ['start.mjs'], { cwd: folder, env })
  expect(stdout).toBe('v20.20.2 200\n')
  const variables = readFileSync(join(home, 'variables'), 'utf8').split('\n')
  expect(variables).toEqual(expect.arrayContaining(Object.entries(needed).map(([name, value]) => `${name}=${value}`)))
  expect(variables.join('\n')).not.toMatch(/SHOP_SECRET|^PORT=1$/m)
})
