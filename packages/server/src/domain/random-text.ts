/** A uniformly distributed integer from 0 to below `exclusiveMax`. Callers pass a cryptographic source. */
export type RandomInt = (exclusiveMax: number) => number

export function randomText({ alphabet, length }: { alphabet: string; length: number }, random: RandomInt): string {
  return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('')
}
