import { registerHooks, type LoadHookSync } from 'node:module'

/**
 * Preloaded into the program: a dot between any two line ends ends a mail, and what a client sent in plain text behind
 * STARTTLS is executed after the handshake. For the test that shows why neither may be.
 */
const GUARD = '!this.#lines.isEmpty || !secureContext'

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isGuard = specifier === './data-reader.ts' && context.parentURL?.endsWith('/smtp/session.ts')
    return nextResolve(isGuard ? new URL('careless-data-reader.ts', import.meta.url).href : specifier, context)
  },
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    if (!url.endsWith('/smtp/session.ts')) return loaded
    const source = textOf(loaded.source)
    if (!source.includes(GUARD)) throw new Error('the guard is not where this test looks for it')
    return { ...loaded, source: source.replace(GUARD, '!secureContext') }
  },
})

function textOf(source: ReturnType<LoadHookSync>['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}
