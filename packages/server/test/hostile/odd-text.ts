import { mailWith, PLACES, walk, type Hold, type Place } from '../support/odd-mail.ts'
import { repeatedTo, type OddText } from '../support/odd-texts.ts'

export type Held = { text: string; place: Place; step: string; ms: number }

/** Other work, compilation and garbage collection take time too, so the best attempt counts. */
const TRIES = 5

/** The longest step in each place. Measured again if it seems too long. */
export async function longestHolds(odd: OddText, bytes: number, msMax: number): Promise<Held[]> {
  const holds: Held[] = []
  const text = repeatedTo(bytes, odd)
  for (const place of PLACES) {
    const raw = mailWith(text, place)
    let longest: Hold = { step: 'none', ms: Infinity }
    for (let attempt = 0; attempt < TRIES && longest.ms > msMax; attempt++) {
      longest = (await walk(raw, text)).reduce((one, other) => (other.ms > one.ms ? other : one))
    }
    holds.push({ text: odd.name, place, step: longest.step, ms: Math.round(longest.ms) })
  }
  return holds
}
