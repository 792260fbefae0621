/** Runs `work` for all items, at most `size` at a time, and returns the results in order. */
export async function inGroups<Item, Result>(
  items: Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += size) {
    results.push(...(await Promise.all(items.slice(start, start + size).map(work))))
  }
  return results
}
