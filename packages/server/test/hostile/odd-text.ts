import { mailWith, PLACES, walk, type Hold, type Place } from '../support/odd-mail.ts'
import { repeatedTo, type OddText } from '../support/odd-texts.ts'

export type Held = { text: string; place: Place; step: string; ms: number }

/** Other work on the machine, compilation and collection take time too; the best try is the text's own doing. */
const TRIES = 5

/** The step that held the event loop longest, in each of the places; tried again where it seems to be more than allowed. */
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
