import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../src')
const EXPORTED_TYPE = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm

/** The names that several files export, each with its files. */
function sharedNames(files: { path: string; text: string }[]): string[] {
  const filesOf = new Map<string, string[]>()
  for (const { path, text } of files) {
    for (const [, name] of text.matchAll(EXPORTED_TYPE)) filesOf.set(name!, [...(filesOf.get(name!) ?? []), path])
  }
  return Array.from(filesOf)
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name}: ${paths.join(', ')}`)
}

test('no two exported types share a name', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }))
  expect(files.length).toBeGreaterThan(50)
  expect(sharedNames(files)).toEqual([])
  // The check can fail:
  const twice = ['a.ts', 'b.ts'].map((path) => ({ path, text: 'type Own = 1\nexport type Log = 1\n' }))
  expect(sharedNames(twice)).toEqual(['Log: a.ts, b.ts'])
})
