import { registerHooks } from 'node:module'

/**
 * For preloads that take a protection away: replaces a part of a source file while it is loaded. Throws if the file
 * no longer contains it.
 */
export function changeSource(file: string, changes: [from: string, to: string][]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith(file)) return loaded
      const { source } = loaded
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
      const changed = changes.reduce((before, [from, to]) => {
        if (!before.includes(from)) throw new Error(`${file} does not contain: ${from}`)
        return before.replace(from, to)
      }, text)
      return { ...loaded, source: changed }
    },
  })
}
