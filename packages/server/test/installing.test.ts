import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { node20 } from '../../sdk/test/support/node-20.ts'
import { REPOSITORY } from './support/markdown.ts'
import { temporaryFolder } from './support/server.ts'

const run = promisify(execFile)

type Entry = {
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  peer?: boolean
  link?: boolean
  resolved?: string
  deprecated?: string
  hasInstallScript?: boolean
  engines?: { node?: string }
}
const ENTRIES = entriesOf('package-lock.json')
/** The documentation site has packages of its own, which only npm run docs:site installs. */
const SITE_ENTRIES = entriesOf('site/package-lock.json')

function entriesOf(lockfile: string): [path: string, entry: Entry][] {
  const { packages } = JSON.parse(readFileSync(join(REPOSITORY, lockfile), 'utf8')) as {
    packages: Record<string, Entry>
  }
  return Object.entries(packages)
}

test('npm ci in a clone prints no warnings on Node 20', async () => {
  const clone = temporaryFolder()
  const manifests = ['sdk', 'server', 'dashboard'].map((name) => `packages/${name}/package.json`)
  for (const path of ['package.json', 'package-lock.json', '.npmrc', 'bench/package.json', ...manifests]) {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    copyFileSync(join(REPOSITORY, path), join(clone, path))
  }
  const { npm_config_loglevel: _, ...inherited } = process.env
  const env = { ...inherited, PATH: `${dirname(await node20())}:${process.env['PATH']}` }
  // Checks everything that an installation checks before it downloads.
  const install = (...words: string[]) => run('npm', ['ci', '--dry-run', '--no-audit', ...words], { cwd: clone, env })
  expect(await install()).toMatchObject({ stderr: '' })
  // The same warnings as without the setting.
  expect((await install('--loglevel=warn')).stderr).toContain('EBADENGINE')
})

test('no package is deprecated, and the lockfiles name no download addresses', () => {
  expect(ENTRIES.length).toBeGreaterThan(200)
  expect(SITE_ENTRIES.length).toBeGreaterThan(100)
  const all = [...ENTRIES, ...SITE_ENTRIES]
  // .npmrc hides this warning as well.
  expect(all.filter(([, { deprecated }]) => deprecated !== undefined).map(([path]) => path)).toEqual([])
  expect(all.filter(([, { resolved, link }]) => resolved !== undefined && link !== true)).toEqual([])
})

test('npm ci installs nothing for the documentation site, and its packages run no install scripts', () => {
  expect(ENTRIES.filter(([path]) => /vitepress|(?:^|\/)vue$/.test(path))).toEqual([])
  expect(SITE_ENTRIES.some(([path]) => path === 'node_modules/vitepress')).toBe(true)
  expect(SITE_ENTRIES.some(([, { hasInstallScript }]) => hasInstallScript)).toBe(true)
  expect(readFileSync(join(REPOSITORY, 'site/.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
})

test('every package with an install script is approved', () => {
  const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    allowScripts: Record<string, boolean>
  }
  const names = ENTRIES.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) =>
    path.replace(/^.*node_modules\//, ''),
  )
  // npm warns about the others.
  expect(Object.keys(manifest.allowScripts).sort()).toEqual([...new Set(names)].sort())
})

/** Node 20.19, of March 2025. Earlier ones print a warning of npm, and work. */
const NODE_20_MINOR = 19

/** For ranges such as `>=18`, `^18 || >=20` and `*`. */
function acceptsOldest(range: string): boolean {
  return range.split('||').some((each) => {
    const [, operator, major, minor = '0'] = /^\s*(>=|\^|)\s*v?(\d+|\*)(?:\.(\d+))?/.exec(each) ?? []
    if (major === '*' || (operator === '>=' && Number(major) < 20)) return true
    return major === '20' && Number(minor) <= NODE_20_MINOR
  })
}

test('every package that the program needs accepts the last releases of Node 20', () => {
  const needed = ENTRIES.filter(
    ([path, { dev, devOptional, optional }]) => path !== '' && !dev && !devOptional && !optional,
  )
  expect(needed.length).toBeGreaterThan(20)
  const refusing = needed.filter(([, { engines }]) => !acceptsOldest(engines?.node ?? '*'))
  expect(refusing.map(([path, { engines }]) => `${path} ${engines!.node}`)).toEqual([])
  expect(['>=22.12.0', '>=20.20.0', '^20.20.0 || >=22.12.0', '>= 21'].filter(acceptsOldest)).toEqual([])
})
