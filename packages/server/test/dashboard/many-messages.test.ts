import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { name, openInboxPage, ownerOfOrders, rowOf } from './orders.ts'

const MESSAGES = 2_000
const ROWS_MAX = 100
/** As the list asks for them. */
const PAGE_MESSAGES = 100

test('after any scrolling, few rows are rendered and each page is requested once', async () => {
  const page = await openInboxPage(await ownerOfOrders(MESSAGES))
  const asked: string[] = []
  page.on('request', (request) => {
    if (namesOf(request).includes('inbox.messages.list')) asked.push(request.url())
  })
  const pages = 15
  const rowsMost = await page.evaluate(scrollThrough, pages * PAGE_MESSAGES)
  expect(rowsMost).toBeGreaterThan(10)
  expect(rowsMost).toBeLessThanOrEqual(ROWS_MAX)
  expect(await rowOf(page, `Order ${name(MESSAGES - pages * PAGE_MESSAGES)}`).count()).toBe(1)
  expect(new Set(asked).size).toBe(asked.length)
  // The first one was there before, and the next one may be under way.
  expect(asked.length).toBeGreaterThanOrEqual(pages - 1)
  expect(asked.length).toBeLessThanOrEqual(pages)
})

/** Several procedures may be in one request. */
function namesOf(request: Request): string[] {
  return new URL(request.url()).pathname.replace('/trpc/', '').split(',')
}

/** Runs in the browser: scrolls by most of a screen until so many rows are above, and counts those that are drawn. */
async function scrollThrough(rows: number): Promise<number> {
  const list = document.querySelector('[aria-label="Messages"]')!
  const scroller = list.parentElement!
  const rowPixels = list.querySelector('li')!.offsetHeight
  let most = 0
  while (scroller.scrollTop < rows * rowPixels) {
    scroller.scrollTop = Math.min(scroller.scrollTop + 0.8 * scroller.clientHeight, rows * rowPixels)
    // Drawn in the frame after the one that hears of it.
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    most = Math.max(most, list.querySelectorAll('li').length)
  }
  return most
}
