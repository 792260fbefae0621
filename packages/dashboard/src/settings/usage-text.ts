/** “3 of 10”, or “3” where there is no limit. */
export function countText({ used, limit }: { used: number; limit: number | null }): string {
  return limit === null ? used.toLocaleString('en') : `${used} of ${limit}`
}

/** The least round number that all counts fit under, for the height of a chart; half of it is a whole number too. */
export function roundAbove(count: number): number {
  if (count <= 4) return 4
  const magnitude = 10 ** Math.floor(Math.log10(count))
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((round) => round >= count && round % 2 === 0)!
}
