import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Replacements } from '../support/rewrite-modules.ts'

const folderAt = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const PRINT = folderAt('print-rewrites.ts')
const CALL = 'rewriteModules({'

function filesIn(folder: string): { path: string; text: string }[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  return names.map((name) => join(folder, name)).map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}

const source = [folderAt('../../src'), folderAt('../../../sdk/src')].flatMap(filesIn)

/** The texts that are not where a preload expects them. */
function missingFrom(modules: Replacements): string[] {
  return Object.entries(modules).flatMap(([end, replacements]) => {
    const found = source.filter(({ path }) => path.endsWith(end))
    if (found.length !== 1) return [`${found.length} files end with ${end}`]
    let { text } = found[0]!
    return replacements.flatMap(([before, after]) => {
      if (!text.includes(before)) return [`${end} does not contain: ${before}`]
      text = text.replaceAll(before, () => after)
      return []
    })
  })
}

test('what the controls of the long runs replace is in the source', async () => {
  const preloads = filesIn(folderAt('..')).filter(({ path, text }) => text.includes(CALL) && !path.includes('prove/'))
  const files = preloads.map(({ path }) => path)
  expect(files.length).toBeGreaterThan(10)
  const { stdout } = await promisify(execFile)(process.execPath, [PRINT, ...files])
  const rewrites = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Replacements)
  expect(rewrites).toHaveLength(files.length)
  expect(rewrites.flatMap(missingFrom)).toEqual([])
  expect(missingFrom({ '/worker/receive.ts': [['this text is not there', '']] })).toHaveLength(1)
})
