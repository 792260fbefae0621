// Builds the documentation site and checks its links: npm run docs:site
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { checkLinks } from '../site/check-links.ts'
import { writePages } from '../site/pages.ts'

const USAGE = `Usage: npm run docs:site [-- --base <path>]

Builds the documentation site into site/dist/html, from docs/ and the Markdown files beside it, and checks every link and anchor.
The first run installs VitePress in site/ with npm. Later runs need no network.

  --base <path>   the path under which the site is served, such as /docs/; / by default`

const SITE = fileURLToPath(new URL('../site/', import.meta.url))
const HTML = join(SITE, 'dist/html')

try {
  console.log(buildSite(process.argv.slice(2)))
} catch (error) {
  console.error(
    `\n${(error as Error).message}\n\nnpm run docs:site failed. npm run docs:site -- --help lists its options.`,
  )
  process.exitCode = 1
}

/** Builds it, and returns what to tell the reader. */
function buildSite(words: string[]): string {
  const options = { base: { type: 'string', default: '/' }, help: { type: 'boolean', default: false } } as const
  const { base, help } = parseArgs({ args: words, options }).values
  if (help) return USAGE
  if (!/^\/(?:[\w.~-]+\/)*$/.test(base))
    throw new Error(`--base must begin and end with a slash, such as /docs/: ${base}`)
  install()
  writePages(join(SITE, 'dist/pages'))
  run('npx', ['--no', 'vitepress', 'build', '--base', base], 'VitePress failed; the lines above say why.')
  const { pages, links, broken } = checkLinks(HTML, base)
  if (links === 0) throw new Error(`No link was found in ${HTML}.`)
  if (broken.length > 0) throw new Error(`These links lead nowhere (page: link):\n${broken.join('\n')}`)
  const preview = `npm --prefix site run preview${base === '/' ? '' : ` -- --base ${base}`}`
  return `\nBuilt ${pages} pages in site/dist/html, and checked ${links} links.\nView them: ${preview}`
}

/** The site has packages of its own, so that `npm ci` of the project stays small. Installs them if the lockfile has changed. */
function install(): void {
  const lockfile = join(SITE, 'package-lock.json')
  const installed = join(SITE, 'node_modules/.installed-lock.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(lockfile, 'utf8')) return
  run('npm', ['ci'], 'npm could not install the packages of the site in site/. The first run needs the network.')
  copyFileSync(lockfile, installed)
}

function run(program: string, words: string[], otherwise: string): void {
  const { status } = spawnSync(program, words, { cwd: SITE, stdio: 'inherit' })
  if (status !== 0) throw new Error(otherwise)
}
