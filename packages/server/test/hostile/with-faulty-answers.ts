import { registerHooks, type LoadHookSync } from 'node:module'

/** Preloaded into the program: messages have a field that is not documented, and mailboxes cannot be presented. */
const FAULTS: [original: string, faulty: string][] = [
  ['    id: row.id,\n', '    id: row.id,\n    undocumented: true,\n'],
  [
    '  const address = `${name}@${domain}`\n',
    "  throw new TypeError('as asked')\n  const address = `${name}@${domain}`\n",
  ],
]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/http/present.ts')) return loaded
    return { ...loaded, source: FAULTS.reduce(replaced, textOf(loaded.source)) }
  },
})

function replaced(source: string, [original, faulty]: [string, string]): string {
  if (!source.includes(original)) throw new Error(`${original} is not where this test looks for it`)
  return source.replace(original, () => faulty)
}

function textOf(source: ReturnType<LoadHookSync>['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}
