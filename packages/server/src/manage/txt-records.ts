import { resolveTxt } from 'node:dns/promises'

/** The TXT records of a name, each whole: DNS may send one in pieces. */
export async function txtRecords(name: string): Promise<string[]> {
  return (await resolveTxt(name)).map((pieces) => pieces.join(''))
}
