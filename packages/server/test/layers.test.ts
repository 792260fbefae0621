import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../src')

/** The import table of ARCHITECTURE.md: what each folder may import, besides itself and the SDK's types. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: [],
  observe: [],
  sqlite: ['thread.ts'],
  mime: ['domain', 'thread.ts'],
  bucket: ['domain', 'sqlite'],
  store: ['domain', 'sqlite'],
  feed: ['domain', 'store'],
  worker: ['domain', 'mime', 'bucket', 'answer-errors.ts', 'body-text.ts', 'observe'],
  intake: ['domain', 'mime', 'store', 'feed'],
  read: ['domain', 'mime', 'bucket', 'store', 'feed', 'observe'],
  notify: ['domain', 'store', 'feed', 'observe'],
  manage: ['domain', 'bucket', 'store', 'notify', 'observe'],
  retention: ['domain', 'bucket', 'store', 'manage', 'observe'],
  mcp: ['domain'],
  compat: ['domain', 'mime', 'bucket', 'store', 'read', 'manage', 'http', 'body-text.ts'],
  http: [
    'domain',
    'mcp',
    'mime',
    'bucket',
    'store',
    'feed',
    'intake',
    'read',
    'notify',
    'manage',
    'sqlite',
    'answer-errors.ts',
    'body-text.ts',
    'observe',
  ],
}

const IMPORT = /^(?:import|export)\s[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm

function importsOf(file: string): string[] {
  const found = readFileSync(join(SOURCE, file), 'utf8').matchAll(IMPORT)
  return Array.from(found, ([, from, bare, dynamic]) => (from ?? bare ?? dynamic)!)
}

function forbiddenImports(file: string, imports: string[]): string[] {
  const folder = file.split('/')[0]!
  const allowed = MAY_IMPORT[folder]
  // The programs in program/ and the commands in cli/ may import everything.
  if (!allowed) return []
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(SOURCE, join(SOURCE, dirname(file), specifier)))
    .filter((target) => ![folder, ...allowed].includes(target.split('/')[0]!))
}

const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !/\.test\.ts$|-contract\.ts$/.test(file),
)

test('imports point down, as in ARCHITECTURE.md', () => {
  expect(FILES.length).toBeGreaterThan(50)
  expect(
    FILES.flatMap((file) => forbiddenImports(file, importsOf(file)).map((target) => `${file} → ${target}`)),
  ).toEqual([])
  // The check can fail:
  expect(forbiddenImports('domain/match.ts', ['../store/store.ts'])).toEqual(['store/store.ts'])
})

/** Files in an import cycle, types included. */
function cycleIn(graph: Map<string, string[]>): string[] {
  const done = new Set<string>()
  function follow(file: string, path: string[]): string[] {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return []
    for (const target of graph.get(file) ?? []) {
      const cycle = follow(target, [...path, file])
      if (cycle.length > 0) return cycle
    }
    done.add(file)
    return []
  }
  for (const file of graph.keys()) {
    const cycle = follow(file, [])
    if (cycle.length > 0) return cycle
  }
  return []
}

test('no import cycles', () => {
  const graph = new Map(
    FILES.map((file) => {
      const own = importsOf(file).filter((specifier) => specifier.startsWith('.'))
      return [file, own.map((specifier) => join(dirname(file), specifier))]
    }),
  )
  expect(cycleIn(graph)).toEqual([])
  // The check can fail:
  const [first, [next]] = [...graph].find(([, targets]) => targets.length > 0)! as [string, [string]]
  expect(cycleIn(new Map([...graph, [next, [first]]]))).toEqual([first, next, first])
})

test('every folder is in the table', () => {
  const folders = new Set(FILES.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!))
  for (const folder of ['cli', 'program']) folders.delete(folder)
  expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort())
})

test('the domain is pure: no I/O, no clock, no randomness, no Node modules', () => {
  const impure = /\bfrom 'node:|Date\.now\(|Math\.random\(|new Date\(\)|crypto\.|\bprocess\.|\bfetch\(/
  const domain = FILES.filter((file) => file.startsWith('domain/'))
  expect(domain.filter((file) => impure.test(readFileSync(join(SOURCE, file), 'utf8')))).toEqual([])
  expect(impure.test("import { hash } from 'node:crypto'")).toBe(true)
})

test('the worker needs only fetch, except for its SMTP listener', () => {
  const worker = FILES.filter((file) => file.startsWith('worker/'))
  const onNode = worker.filter((file) => importsOf(file).some((specifier) => specifier.startsWith('node:')))
  expect(onNode.length).toBeGreaterThan(0)
  expect(onNode.filter((file) => !file.startsWith('worker/smtp/'))).toEqual([])
})

test('only config.ts reads the environment', () => {
  const readers = FILES.filter((file) => readFileSync(join(SOURCE, file), 'utf8').includes('process.env'))
  expect(readers).toEqual(['program/config.ts'])
})

test('rows are typed where the statement is written: only the drivers cast', () => {
  const cast = / as (?:unknown|string|number|[A-Z{[])/
  const drivers = ['store/database.ts', 'store/postgres-database.ts', 'store/sqlite-database.ts']
  // These cast a connection, a list and a list of values.
  const others = ['store/postgres-connections.ts', 'store/postgres-writer.ts', 'store/sql.ts']
  const store = FILES.filter((file) => file.startsWith('store/') && !others.includes(file))
  expect(store.filter((file) => cast.test(readFileSync(join(SOURCE, file), 'utf8'))).sort()).toEqual(drivers)
  expect(cast.test('return (rows as Delivery[])[0] ?? null')).toBe(true)
  expect(cast.test('const [[updated]] = (await writeFor(teamId, update)) as [EndpointRow[]]')).toBe(true)
})
