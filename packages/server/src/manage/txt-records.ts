import { resolveTxt } from 'node:dns/promises'

/** The TXT records of a name, each joined, because DNS may split them. */
export async function txtRecords(name: string): Promise<string[]> {
  return (await resolveTxt(name)).map((pieces) => pieces.join(''))
}
