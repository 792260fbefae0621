import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from './markdown.ts'

/** A row of a table `| rule | file, file | title<br>title |`, whose files are relative to packages/. */
export type NamedTests = { files: string[]; titles: string[] }

export function namedTests(page: string): NamedTests[] {
  const rows = Array.from(page.matchAll(/^\| (?!---)(.+) \|$/gm), ([, row]) => row!.split(' | '))
  return rows
    .filter(([, file]) => file !== 'file')
    .map(([, files = '', titles = '']) => ({
      files: files.split(', ').map((file) => file.trim()),
      titles: titles.split('<br>').map((title) => title.trim()),
    }))
}

/** Files and titles that a row names and the repository does not have. */
export function missingTests({ files, titles }: NamedTests): string[] {
  const found = files.map((file) => ({ file, paths: globSync(file, { cwd: join(REPOSITORY, 'packages') }) }))
  const missing = found.filter(({ paths }) => paths.length === 0).map(({ file }) => file)
  const known = found.flatMap(({ paths }) => paths.flatMap((path) => titlesIn(join(REPOSITORY, 'packages', path))))
  return [...missing, ...titles.filter((title) => title !== '…' && !isTitle(title, known))]
}

const TEXT = String.raw`(?:'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|\`((?:[^\`\\]|\\.)+)\`)`
// A title is the text behind `test(`, `describe(`, or the `)(` of a table of cases.
const TITLE = new RegExp(String.raw`(?:\b(?:test|it|describe\w*)(?:\.\w+)*|\))\(\s*${TEXT}\s*,`, 'g')
const ANY_TEXT = new RegExp(TEXT, 'g')
const IMPORTED_TESTS = /from '(\.[^']*(?:contract|journey|support)[^']*\.ts)'/g
// Values that a table of cases, or a template, puts into a title.
const VALUE = /\$\{(?:[^{}]|\{[^{}]*\})*\}|\$[\w.]+|%[sdijo]/

const titlesByFile = new Map<string, string[]>()

/** Titles as they are written in a file, and in the contract suites that it imports. */
function titlesIn(file: string): string[] {
  const known = titlesByFile.get(file)
  if (known) return known
  titlesByFile.set(file, [])
  const source = readFileSync(file, 'utf8')
  const own = textsIn(source, TITLE)
  // The titles of such a table are strings in it.
  const isNamedByTable = own.some((title) => /^(?:%s|\$\w+)$/.test(title))
  const inTables = isNamedByTable ? textsIn(source, ANY_TEXT) : []
  const imported = Array.from(source.matchAll(IMPORTED_TESTS), ([, path]) => join(dirname(file), path!))
  const titles = [...own, ...inTables, ...imported.filter((path) => existsSync(path)).flatMap(titlesIn)]
  titlesByFile.set(file, titles)
  return titles
}

function textsIn(source: string, pattern: RegExp): string[] {
  return Array.from(source.matchAll(pattern), ([, single, double, template]) =>
    (single ?? double ?? template)!.replaceAll(/\\(.)/g, '$1'),
  )
}

/** Whether the name is a title or the titles of nested suites in order. A name that ends in … may stop anywhere. */
function isTitle(name: string, titles: string[]): boolean {
  const isPrefix = name.endsWith('…')
  const text = isPrefix ? name.slice(0, -1).trimEnd() : name
  // A value at the start must be a number, because any other value would match every name.
  const first = titles.filter((title) => title.search(VALUE) !== 0 || /^\d/.test(text))
  return startsWithTitle(text, { first, titles, isPrefix })
}

type Known = { first: string[]; titles: string[]; isPrefix: boolean }

function startsWithTitle(name: string, { first, titles, isPrefix }: Known): boolean {
  const rests = first.flatMap((title) => restsBehind(name, title.split(VALUE), isPrefix))
  return rests.some(
    (rest) =>
      rest === '' || (rest.startsWith(' ') && startsWithTitle(rest.slice(1), { first: titles, titles, isPrefix })),
  )
}

/** The possible rests of the name after a title, given as the parts between its values. */
function restsBehind(name: string, [part = '', ...others]: string[], isPrefix: boolean): string[] {
  if (isPrefix && part.startsWith(name)) return ['']
  if (!name.startsWith(part)) return []
  const rest = name.slice(part.length)
  if (others.length === 0) return [rest]
  // Without words before it, a value is one word, because more would match every name.
  const ends = part === '' ? [rest.search(/ |$/)] : Array.from(rest, (_, index) => index + 1)
  const behindValue = ends.filter((end) => end > 0).flatMap((end) => restsBehind(rest.slice(end), others, isPrefix))
  return isPrefix && part !== '' ? ['', ...behindValue] : behindValue
}
