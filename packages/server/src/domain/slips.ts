/** Shorter names are too near to each other. */
const LETTERS_MIN = 4
/** From this length on, two slips still leave no doubt. */
const LETTERS_FOR_TWO_MIN = 7

/** The one of these names that was probably meant; null when none is near enough. */
export function likelyMeant(given: string, names: string[]): string | null {
  let best: { name: string; slips: number } | null = null
  for (const name of names) {
    const slipsMax = name.length >= LETTERS_FOR_TWO_MIN ? 2 : name.length >= LETTERS_MIN ? 1 : 0
    // What differs more in length has more slips; so a long name costs nothing.
    if (Math.abs(given.length - name.length) > slipsMax) continue
    const slips = countSlips(given, name)
    if (slips > 0 && slips <= slipsMax && slips < (best?.slips ?? Infinity)) best = { name, slips }
  }
  return best?.name ?? null
}

/** Letters more, less or other, and neighbours swapped, that make one word of the other (optimal string alignment). */
function countSlips(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const above = rows[row - 1]!
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          above[column]! + 1,
          current[column - 1]! + 1,
          above[column - 1]! + (isSame ? 0 : 1),
          isSwapped ? rows[row - 2]![column - 2]! + 1 : Infinity,
        ),
      )
    }
    rows.push(current)
  }
  return rows[from.length]![to.length]!
}
