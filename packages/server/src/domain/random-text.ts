/** An even draw from 0 to below `exclusiveMax`; callers pass one that draws from the crypto source. */
export type RandomInt = (exclusiveMax: number) => number

export function randomText({ alphabet, length }: { alphabet: string; length: number }, random: RandomInt): string {
  return Array.from({ length }, () => alphabet.charAt(random(alphabet.length))).join('')
}
