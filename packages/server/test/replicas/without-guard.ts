import { registerHooks, type LoadHookSync } from 'node:module'

/**
 * Preloaded into a replica: writers no longer lock the row of their team, so positions become visible out of order. For the
 * test that shows why the lock is needed.
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
