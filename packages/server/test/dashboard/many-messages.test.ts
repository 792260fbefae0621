import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { name, openInboxPage, ownerOfOrders, rowOf } from './orders.ts'

const MESSAGES = 2_000
const ROWS_MAX = 100
/** The page size of the list. */
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
  // The first page was loaded before, and the next one may be loading.
  expect(asked.length).toBeGreaterThanOrEqual(pages - 1)
  expect(asked.length).toBeLessThanOrEqual(pages)
})

/** Several procedures may be in one request. */
function namesOf(request: Request): string[] {
  return new URL(request.url()).pathname.replace('/trpc/', '').split(',')
}

/** Runs in the browser: scrolls until this many rows are above, and counts the rendered rows. */
async function scrollThrough(rows: number): Promise<number> {
  const list = document.querySelector('[aria-label="Messages"]')!
  const scroller = list.parentElement!
  const rowPixels = list.querySelector('li')!.offsetHeight
  let most = 0
  while (scroller.scrollTop < rows * rowPixels) {
    scroller.scrollTop = Math.min(scroller.scrollTop + 0.8 * scroller.clientHeight, rows * rowPixels)
    // Rendered in the frame after the scroll event.
    await new Promise(requestAnimationFrame)
    await new Promise(requestAnimationFrame)
    most = Math.max(most, list.querySelectorAll('li').length)
  }
  return most
}
