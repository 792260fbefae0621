/** Shorter names are too near to each other. */
const LETTERS_MIN = 4
/** From this length on, two slips still leave no doubt. */
const LETTERS_FOR_TWO_MIN = 7

/** The one of these names that was probably meant; null when none is near enough. */
export function likelyMeant(given: string, names: string[]): string | null {
  let best: { name: string; slips: number } | null = null
  for (const name of names) {
    const slipsMax = name.length >= LETTERS_FOR_TWO_MIN ? 2 : name.length >= LETTERS_MIN ? 1 : 0
    // What differs more in length, however its letters are written, has more slips; so a long name costs nothing.
    if (given.length > 2 * (name.length + slipsMax)) continue
    const slips = countSlips(Array.from(given), Array.from(name))
    if (slips > 0 && slips <= slipsMax && slips < (best?.slips ?? Infinity)) best = { name, slips }
  }
  return best?.name ?? null
}

/**
 * The fewest slips that make one word of the other: letters more, less or other, and neighbours swapped. Other letters may
 * have come between swapped neighbours, or gone, by slips of their own (Damerau and Levenshtein, unrestricted).
 */
function countSlips(from: string[], to: string[]): number {
  const counts = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  // Where each letter of `from` was met last.
  const lastRowOf = new Map<string, number>()
  for (let row = 1; row <= from.length; row++) {
    const letter = from[row - 1]!
    const current = [row]
    let lastColumn = 0
    for (let column = 1; column <= to.length; column++) {
      const isSame = letter === to[column - 1]
      const swappedRow = lastRowOf.get(to[column - 1]!) ?? 0
      const swapped =
        swappedRow > 0 && lastColumn > 0
          ? counts[swappedRow - 1]![lastColumn - 1]! + (row - swappedRow - 1) + 1 + (column - lastColumn - 1)
          : Infinity
      const above = counts[row - 1]!
      const other = above[column - 1]! + (isSame ? 0 : 1)
      current.push(Math.min(above[column]! + 1, current[column - 1]! + 1, other, swapped))
      if (isSame) lastColumn = column
    }
    lastRowOf.set(letter, row)
    counts.push(current)
  }
  return counts[from.length]![to.length]!
}
