import { execFile } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from './markdown.ts'

/** The kinds of files in each published package. */
export const KINDS: Record<string, RegExp[]> = {
  'packages/sdk': [
    /^(package\.json|README\.md|LICENSE)$/,
    /^dist\/[\w-]+\.js$/,
    /^dist\/[\w-]+\.d\.ts$/,
    /^dist\/cjs\/[\w-]+\.js$/,
    /^dist\/cjs\/[\w-]+\.d\.ts$/,
    // Says that the files beside it are CommonJS.
    /^dist\/cjs\/package\.json$/,
  ],
  'packages/server': [
    /^(package\.json|README\.md|LICENSE)$/,
    /^bin\/[\w-]+\.js$/,
    /^lib\/index\.(js|cjs)$/,
    /^lib\/index\.d\.c?ts$/,
    /^dist\/([\w-]+\/)*[\w-]+\.js$/,
    /^dist\/store\/migrations(-postgres(\/in-place)?)?\/\d{3}-[\w-]+\.sql$/,
    /^dist\/dashboard\/(index\.html|licenses\.md)$/,
    /^dist\/dashboard\/assets\/[\w-]+\.(js|css)(\.gz)?$/,
  ],
}

/** Names of what only tests use. */
const OF_TESTS = /\.test\.|\.long\.|-contract\.|test-kit|(^|\/)(tests?|support|fixtures)\//

/** The paths in a tarball, without the folder that every npm package has. */
export async function pathsIn(tarball: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('tar', ['-tzf', tarball])
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''))
}

/** What should not be in a package with these kinds of files, and which kinds are missing. */
export function problemsOf(kinds: RegExp[], paths: string[]): string[] {
  return [
    ...paths.filter((path) => !kinds.some((kind) => kind.test(path))).map((path) => `${path} is of no known kind`),
    ...paths.filter((path) => OF_TESTS.test(path)).map((path) => `${path} is for tests`),
    ...kinds.filter((kind) => !paths.some((path) => kind.test(path))).map((kind) => `there is no ${kind.source}`),
  ]
}

/** Traces of the machine that built a file: its paths, and source maps, which would need files that are not published. */
export function tracesIn(text: string): string[] {
  return [REPOSITORY, '# sourceMappingURL='].filter((trace) => text.includes(trace))
}

const IMPORT =
  /^(?:import|export)\s[^'"`;]*?from\s*["']([^."'/][^"']*)["']|^import\s*["']([^."'/][^"']*)["']|\bimport\(["']([^."'/][^"']*)["']\)/gm

/** The packages that a file imports. */
export function packagesIn(source: string): string[] {
  const names = Array.from(source.matchAll(IMPORT), ([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!)
  const isOurs = (name: string) => !name.startsWith('node:') && !builtinModules.includes(name)
  return names.filter(isOurs).map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
}

/** All files below a folder, with their contents as text. */
export function* filesBelow(folder: string): Generator<{ path: string; text: string }> {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path)
    if (lstatSync(file).isFile()) yield { path, text: readFileSync(file, 'utf8') }
  }
}

/** As `du` counts: whole blocks, folders included. */
export function bytesOnDisk(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.reduce((sum, path) => sum + 512 * lstatSync(join(folder, path)).blocks, 0)
}
