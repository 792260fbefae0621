/** Shorter names are too similar to each other. */
const LETTERS_MIN = 4
/** From this length on, a name with two typos is still unambiguous. */
const LETTERS_FOR_TWO_MIN = 7

/** The name that was probably meant. Null if none is similar enough. */
export function findClosestName(given: string, names: string[]): string | null {
  let best: { name: string; typos: number } | null = null
  for (const name of names) {
    const typosMax = name.length >= LETTERS_FOR_TWO_MIN ? 2 : name.length >= LETTERS_MIN ? 1 : 0
    // A greater difference in length means more typos, so a long name costs nothing.
    if (given.length > 2 * (name.length + typosMax)) continue
    const typos = countTypos(Array.from(given), Array.from(name))
    if (typos > 0 && typos <= typosMax && typos < (best?.typos ?? Infinity)) best = { name, typos }
  }
  return best?.name ?? null
}

/**
 * The edit distance of the words: inserted, deleted and replaced letters, and swapped neighbours. Letters between
 * swapped neighbours may have been inserted or deleted (unrestricted Damerau-Levenshtein distance).
 */
function countTypos(from: string[], to: string[]): number {
  const counts = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  // The last row of each letter of `from`.
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
