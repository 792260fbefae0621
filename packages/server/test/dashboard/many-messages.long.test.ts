import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { name, openInboxPage, ownerOfOrders, rowOf, TAGS, untilListed } from './orders.ts'

const FEW = 500
const MANY = 50_000
const RATIO_MAX = 1.5
const ROUNDS = 5
/** On a busy machine a few rounds may mislead, so more follow until the result is clear. */
const ROUNDS_MAX = 21

/** User actions, timed until the result is visible. `number` names a message that no other round searched for. */
const ACTIONS: Record<string, (page: Page, number: number) => Promise<void>> = {
  'opening the inbox': async (page) => {
    await page.goto('/', { waitUntil: 'commit' })
    await untilListed(page)
  },
  'opening a message': async (page, number) => {
    await rowOf(page, /Order/)
      .nth(number % 10)
      .click()
    await page.getByRole('heading', { name: /^Order/, level: 2 }).waitFor()
  },
  'filtering by a tag': async (page, number) => {
    const tags = page.getByRole('navigation', { name: 'Mailboxes and tags' })
    await tags.getByRole('link', { name: `+suite-${number % TAGS} ` }).click()
    await page.getByRole('heading', { name: 'Found' }).waitFor()
    await untilListed(page)
  },
  'searching for a subject': (page, number) => search(page, `order ${name(number)}`, number),
  'searching for a word in the body': (page, number) => search(page, `v${name(number)}v`, number),
}

async function search(page: Page, text: string, number: number): Promise<void> {
  await page.getByLabel('Search mail').fill(text)
  await page.getByLabel('Search mail').press('Enter')
  await page.getByRole('heading', { name: 'Found' }).waitFor()
  await rowOf(page, `Order ${name(number)}`).waitFor()
  expect(await rowOf(page, /Order/).count()).toBe(1)
}

test('opening and filtering take as long with fifty thousand messages as with five hundred', async () => {
  const pages = {
    few: await openInboxPage(await ownerOfOrders(FEW)),
    many: await openInboxPage(await ownerOfOrders(MANY)),
  }
  for (const [action, act] of Object.entries(ACTIONS)) {
    const times: Record<keyof typeof pages, number[]> = { few: [], many: [] }
    const ratio = () => medianOf(times.many) / medianOf(times.few)
    for (let round = 0; round < ROUNDS || (round < ROUNDS_MAX && ratio() > RATIO_MAX); round++) {
      for (const [team, page] of Object.entries(pages) as [keyof typeof pages, Page][]) {
        await page.getByRole('link', { name: 'All mail' }).click()
        await untilListed(page)
        const startedAt = performance.now()
        await act(page, round * 31)
        times[team].push(performance.now() - startedAt)
      }
    }
    const [fewMs, manyMs] = [medianOf(times.few).toFixed(0), medianOf(times.many).toFixed(0)]
    console.log(`${action}: ${fewMs} ms at ${FEW}, ${manyMs} ms at ${MANY} messages, ratio ${ratio().toFixed(2)}`)
    expect(ratio(), action).toBeLessThanOrEqual(RATIO_MAX)
  }
})

function medianOf(times: number[]): number {
  return times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)]!
}
