/**
 * Counts what is held per key and in total, so that a caller can enforce limits on both. Forgets keys that hold
 * nothing.
 */
export function createHeldCounts() {
  const counts = new Map<string, number>()
  let total = 0
  return {
    of: (key: string): number => counts.get(key) ?? 0,
    total: (): number => total,
    add(key: string): void {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      total++
    },
    remove(key: string): void {
      const left = (counts.get(key) ?? 0) - 1
      if (left > 0) counts.set(key, left)
      else counts.delete(key)
      total--
    },
  }
}
