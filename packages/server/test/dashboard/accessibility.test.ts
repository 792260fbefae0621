import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openWindow } from '../support/dashboard-session.ts'
import { barriersIn } from '../support/dashboard.ts'
import { startServer } from '../support/server.ts'
import { startVisits, STILL, testVisits, untilDrawn, VARYING_RULES, WIDE } from './accessibility.ts'

const SOURCE = resolve(import.meta.dirname, '../../../dashboard/src')
/** A page has fewer tab stops. */
const STOPS_MAX = 60

const started = await startVisits()
const { visits, browser, open, operator, messageId } = started

test('every route is checked', () => {
  const files = ['app.tsx', 'settings/sections.ts', 'settings/settings-pages.tsx']
  const source = files.map((file) => readFileSync(resolve(SOURCE, file), 'utf8')).join('\n')
  const routes = Array.from(source.matchAll(/\bpath(?:="|: ')(\/[^"']*)/g), ([, route]) => route!)
  expect(routes.length).toBeGreaterThan(15)
  expect(Object.keys(visits).toSorted()).toEqual(routes.toSorted())
})

// The long form visits all of them in both themes.
testVisits(started, { isAllInBoth: false })

/** Popups over the inbox, and how to open each. */
const OPENED: Record<string, (page: Page) => Promise<void>> = {
  'test code': (page) => page.getByRole('button', { name: 'Test code' }).click(),
  'missing mail': (page) => page.getByRole('button', { name: 'Missing mail?' }).click(),
  keys: (page) => page.keyboard.press('?'),
  commands: (page) => page.keyboard.press('Control+k'),
  'search help': (page) => page.getByRole('button', { name: 'Search help' }).click(),
  'delete all': async (page) => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Delete all/ }).click()
  },
}

test.each(['light', 'dark'] as const)('no accessibility violations in dialogs, %s', async (colorScheme) => {
  const { page } = await open({ headers: operator.headers, viewport: WIDE, colorScheme, ...STILL })
  await page.goto(`/m/${messageId}`)
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  for (const [name, openPart] of Object.entries(OPENED)) {
    await openPart(page)
    await dialog.waitFor()
    await untilDrawn(page)
    expect(await barriersIn(page, colorScheme === 'dark' ? VARYING_RULES : undefined), name).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
})

test('control: violations are found', async () => {
  const { page } = await open()
  await page.goto('/sign-in')
  await page.getByLabel('Password').evaluate((input) => document.querySelector(`label[for="${input.id}"]`)!.remove())
  expect(await barriersIn(page)).toEqual([expect.stringContaining('label')])
})

describe('with the keyboard alone', () => {
  test('a user signs in by link, sends and opens a mail, and copies its code with Tab and Enter', async () => {
    const own = await startServer()
    const { page, complaints } = await openWindow(browser, { url: own.url, viewport: WIDE })
    await page.goto(`/sign-in?token=${own.signInToken}`)
    await tabTo(page, page.getByRole('button', { name: 'Sign in' }))
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('button', { name: 'Send a test mail' }))
    await page.keyboard.press('Enter')
    const row = page.getByRole('list', { name: 'Messages' }).getByRole('link')
    await tabTo(page, row)
    await page.keyboard.press('Enter')
    const chip = page.getByRole('button', { name: /^Code \d+/ })
    await tabTo(page, chip)
    await page.keyboard.press('Enter')
    await chip.getByText('Copied').waitFor()
    const code = await page.evaluate(() => navigator.clipboard.readText())
    expect(await row.innerText()).toContain(`${code} is your verification code`)
    expect(complaints).toEqual([])
  })

  test('shortcuts do the same, and return to the previous place', async () => {
    const { page } = await open({ headers: operator.headers, viewport: WIDE })
    await page.goto('/')
    const row = page.getByRole('list', { name: 'Messages' }).getByRole('link')
    await row.waitFor()
    await page.keyboard.press('j')
    await untilFocused(row)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Code \d+/ }).waitFor()
    await page.keyboard.press('c')
    await page.getByText('Copied', { exact: true }).first().waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('482913')
    await page.keyboard.press('u')
    await page.getByRole('button', { name: /^Code \d+/ }).waitFor({ state: 'detached' })
    await untilFocused(row)
  })
})

/** Presses Tab until the element has focus, and checks that every element on the way is visible. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    const place = await page.evaluate(() => {
      const { activeElement: element, body } = document
      if (!element || element === body) return { element: 'none', isSeen: true }
      return { element: element.outerHTML.slice(0, 200), isSeen: getComputedStyle(element).outlineStyle !== 'none' }
    })
    expect(place).toMatchObject({ isSeen: true })
    if (await isFocused(target)) return
    await page.keyboard.press('Tab')
  }
  expect.unreachable(`Tab does not lead to ${String(target)}`)
}

async function untilFocused(target: Locator): Promise<void> {
  await expect.poll(() => isFocused(target)).toBe(true)
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement)
}
