export type SeededRandom = ReturnType<typeof seededRandom>

/** The same numbers for the same seed on every machine (mulberry32). */
export function seededRandom(seed: number) {
  let state = seed >>> 0
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number) => Math.floor(fraction() * end)
  return {
    below,
    chance: (probability: number) => fraction() < probability,
    pick: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    /** Cuts, doubles, swaps or overwrites some characters of a text. */
    mutated(text: string, pieces: readonly string[]): string {
      const at = below(text.length + 1)
      const piece = pieces[below(pieces.length)]!
      const rest = text.slice(at + below(4))
      return [
        text.slice(0, at),
        text.slice(0, at) + piece + text.slice(at),
        text.slice(0, at) + piece + rest,
        text + text,
      ][below(4)]!
    },
  }
}

/** Far apart, so that the items of one seed do not overlap with those of the next. */
const SEED_STRIDE = 1_000_003

/** For the item with this number, which depends only on the seed. */
export function numberedRandom(seed: number, number: number): SeededRandom {
  return seededRandom(seed * SEED_STRIDE + number)
}
