import type { Result, Router } from 'hono/router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Remembers which handlers the paths without parameters have. Most requests are for such a path, and a held wait keeps what was
 * found for it.
 */
export function createRouter<Handler>(): Router<Handler> {
  const routes = new TrieRouter<Handler>()
  const fixed = new Set<string>()
  const known = new Map<string, Result<Handler>>()
  return {
    name: 'remembering',
    add(method, path, handler) {
      if (!/[:*]/.test(path)) fixed.add(path)
      known.clear()
      routes.add(method, path, handler)
    },
    match(method, path) {
      if (!fixed.has(path)) return routes.match(method, path)
      const key = `${method} ${path}`
      const found = known.get(key) ?? routes.match(method, path)
      known.set(key, found)
      return found
    },
  }
}
