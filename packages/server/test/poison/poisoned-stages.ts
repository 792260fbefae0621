import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { RECORD_TOKEN, tokenOf, type PoisonKind } from './poison-token.ts'

// Preloaded into a program with `--require`, which also reaches its threads. Every function that one of these modules imports
// from another of the product is a stage. So is every function of the store and the feed that intake calls. A stage fails on
// a mail that has the stage's token.
const MODULES =
  /\/src\/((?:mime\/(?:mail-parser|parse-thread)|worker\/(?:announcer|announce|announce-stored)|http\/local-post|intake\/[a-z-]+))\.ts$/
/** Where intake gets its store and its feed. */
const PORTS_IN = 'intake/accept-announcement'
const PORTS = '{ store, rootDomain } = ports\n'
const IMPORT = /^import \{([^}]+)\} from '\.[^']+'$/gm
const DEPTH_MAX = 5
const VALUES_MAX = 300

type Callable = (...given: unknown[]) => unknown

const recorded = new Set<string>()

function poisoned(stage: string, original: unknown, isAsync: boolean): unknown {
  if (typeof original !== 'function') return original
  const token = tokenOf(stage)
  const kinds = ['throw', 'hang', 'memory'] satisfies PoisonKind[]
  return function poisonedStage(this: unknown, ...given: unknown[]): unknown {
    if (!recorded.has(stage) && holds(given, RECORD_TOKEN)) record(stage)
    const kind = kinds.find((name) => holds(given, `${token}${name}`))
    if (kind === undefined) return (original as Callable).apply(this, given)
    // Synchronously: the program may end at once.
    writeSync(2, `failed ${stage} ${kind}\n`)
    if (kind === 'memory') exhaustMemory()
    const error = new Error(`${stage} fails as asked`)
    if (isAsync || original.constructor.name === 'AsyncFunction') {
      return kind === 'throw' ? Promise.reject(error) : new Promise(() => {})
    }
    if (kind === 'throw') throw error
    for (;;);
  }
}

function record(stage: string): void {
  recorded.add(stage)
  writeSync(2, `stage ${stage}\n`)
}

function exhaustMemory(): never {
  for (const hoard: number[][] = []; ;) hoard.push(Array.from({ length: 10_000 }, (_, index) => index + 0.5))
}

function holds(value: unknown, token: string, depth = 0): boolean {
  if (typeof value === 'string') return value.includes(token)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(token)
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return false
  return Object.values(value)
    .slice(0, VALUES_MAX)
    .some((inner) => holds(inner, token, depth + 1))
}

function poisonedPorts<Ports extends Record<string, unknown>>(ports: Ports): Ports {
  const wrap = (group: string) =>
    Object.fromEntries(
      // The ports are plain objects of functions.
      Object.entries(ports[group] as object).map(([name, value]) => [
        name,
        poisoned(`${group}.${name}`, value, group === 'store'),
      ]),
    )
  return { ...ports, store: wrap('store'), feed: wrap('feed') }
}

Object.assign(globalThis, { poisoned, poisonedPorts })

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const module = MODULES.exec(url)?.[1]
    if (module === undefined) return loaded
    const { source } = loaded
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
    return { ...loaded, source: poisonImports(module, text) }
  },
})

/** Renames what is imported, and defines each name again, poisoned. */
function poisonImports(module: string, text: string): string {
  const definitions: string[] = []
  const renamed = text.replaceAll(IMPORT, (statement, names: string) => {
    const parts = names.split(',').map((part) => part.trim())
    const changed = parts.map((name) => {
      if (!/^[a-z]\w*$/.test(name)) return name
      definitions.push(`const ${name} = globalThis.poisoned('${module}.${name}', original_${name}, false)`)
      return `${name} as original_${name}`
    })
    return statement.replace(names, ` ${changed.join(', ')} `)
  })
  const lastImport = [...renamed.matchAll(/^(?:import [^;]*?from '[^']+'|import '[^']+')$/gm)].at(-1)
  if (!lastImport || definitions.length === 0) return renamed
  const end = lastImport.index + lastImport[0].length
  const body = module === PORTS_IN ? withPoisonedPorts(renamed.slice(end)) : renamed.slice(end)
  return `${renamed.slice(0, end)}\n${definitions.join('\n')}\n${body}`
}

function withPoisonedPorts(body: string): string {
  if (!body.includes(PORTS)) throw new Error(`${PORTS_IN} does not contain what is replaced: ${PORTS}`)
  return body.replace(PORTS, '{ store, rootDomain } = (ports = globalThis.poisonedPorts(ports))\n')
}
