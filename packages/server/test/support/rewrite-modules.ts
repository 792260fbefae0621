import { registerHooks, type LoadHookSync } from 'node:module'

/** By the end of a module's path: texts of its source, and what replaces each of them everywhere. */
export type Replacements = Record<string, [text: string, replacement: string][]>

/** For preloads that take a protection out of the product, to show that a test notices. */
export function rewriteModules(modules: Replacements): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      const path = Object.keys(modules).find((end) => url.endsWith(end))
      if (path === undefined) return loaded
      let source = textOf(loaded.source)
      for (const [text, replacement] of modules[path]!) {
        if (!source.includes(text)) throw new Error(`${path} does not contain what this test replaces: ${text}`)
        source = source.replaceAll(text, () => replacement)
      }
      return { ...loaded, source }
    },
  })
}

function textOf(source: ReturnType<LoadHookSync>['source']): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source)
}
