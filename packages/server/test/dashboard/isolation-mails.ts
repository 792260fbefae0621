import type { Attack, Means } from './isolation-attack.ts'
import { framedDocuments, handlers, scriptAddresses, scripts } from './isolation-scripts.ts'
import { encodings, mutations, spellings } from './isolation-spellings.ts'
import { loadingElements, loadingStyles, navigations } from './isolation-tracking.ts'

/** Hundreds of ways to run a script, to send a request, or to navigate the page away. */
export function attacks(means: Means): Attack[] {
  return [
    ...handlers(means),
    ...spellings(means),
    ...scripts(means),
    ...scriptAddresses(means),
    ...framedDocuments(means),
    ...mutations(means),
    ...loadingElements(means),
    ...loadingStyles(means),
    ...navigations(means),
    ...encodings(means),
  ]
}
