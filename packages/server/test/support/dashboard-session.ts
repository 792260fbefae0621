import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { consoleErrorsOf } from './dashboard.ts'

type Visitor = { url: string; headers?: { cookie: string } } & BrowserContextOptions

/** A separate window for a test, signed in if a session cookie is given. */
export async function openWindow(
  browser: Browser,
  { url, headers, ...options }: Visitor,
): Promise<{ page: Page; complaints: string[] }> {
  const page = await newPage(browser, { url, ...options })
  onTestFinished(() => page.context().close())
  if (headers) await addSession(page, { url, headers })
  return { page, complaints: consoleErrorsOf(page) }
}

type Look = Pick<BrowserContextOptions, 'viewport' | 'colorScheme' | 'reducedMotion'>

/**
 * For a file with one server: reuses windows of earlier tests after clearing them. Their process has already loaded our
 * scripts, so a page takes a third of the time. Scripts added with addInitScript would stay.
 */
export function reuseWindows(browser: Browser, url: string) {
  const unused: Page[] = []
  return async ({ headers, ...look }: Look & Pick<Visitor, 'headers'> = {}) => {
    const page = unused.pop() ?? (await newPage(browser, { url }))
    onTestFinished(async () => {
      await clearAway(page, url)
      unused.push(page)
    })
    const { viewport, colorScheme, reducedMotion } = { ...DEFAULT_LOOK, ...look }
    await page.setViewportSize(viewport ?? DEFAULT_LOOK.viewport)
    await page.emulateMedia({ colorScheme, reducedMotion })
    if (headers) await addSession(page, { url, headers })
    return { page, complaints: consoleErrorsOf(page) }
  }
}

/** The settings of a window that Playwright opens. */
const DEFAULT_LOOK = {
  viewport: { width: 1280, height: 720 },
  colorScheme: 'light',
  reducedMotion: 'no-preference',
} as const

/** Of every step in a page. */
const PATIENCE_MS = 60_000

async function newPage(browser: Browser, { url, ...options }: { url: string } & BrowserContextOptions): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ baseURL: url, permissions, ...options })
  // Half a minute by default, which is too short on a busy machine.
  context.setDefaultTimeout(PATIENCE_MS)
  return context.newPage()
}

async function addSession(page: Page, { url, headers }: { url: string; headers: { cookie: string } }): Promise<void> {
  const [name, value] = headers.cookie.split('=')
  await page.context().addCookies([{ name: name!, value: value!, url }])
}

async function clearAway(page: Page, url: string): Promise<void> {
  const context = page.context()
  for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event)
  await page.unrouteAll()
  await context.unrouteAll()
  await context.setOffline(false)
  // A page of our origin without our code, so that nothing uses what is cleared.
  await page.goto(`${url}/health`)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await context.clearCookies()
}

/** Signs in with a one-time link, as printed at the first start. */
export async function signInByLink(page: Page, token: string): Promise<void> {
  await page.goto(`sign-in?token=${token}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
