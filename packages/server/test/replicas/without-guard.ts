import { registerHooks, type LoadHookSync } from 'node:module'

/**
 * Preloaded into a replica, takes away what makes positions visible in their order: writers no longer hold their team's
 * row. For the test that shows what the row is held for.
 */
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/store/postgres-database.ts')) return loaded
    const source = textOf(loaded.source)
    if (!source.includes('for no key update')) throw new Error('the guard is not where this test looks for it')
    return { ...loaded, source: source.replace('for no key update', '') }
  },
})

function textOf(source: ReturnType<LoadHookSync>['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}
