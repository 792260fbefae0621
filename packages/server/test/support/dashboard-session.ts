import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { complaintsOf } from './dashboard.ts'

type Visitor = { url: string; headers?: { cookie: string } } & BrowserContextOptions

/** A window of its own for a test, signed in where the cookie of a session is given. */
export async function openWindow(
  browser: Browser,
  { url, headers, ...options }: Visitor,
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    baseURL: url,
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  onTestFinished(() => context.close())
  if (headers) {
    const [name, value] = headers.cookie.split('=')
    await context.addCookies([{ name: name!, value: value!, url }])
  }
  const page = await context.newPage()
  return { page, complaints: complaintsOf(page) }
}

/** Signs in with a one-time link, as the first start prints it. */
export async function signInByLink(page: Page, token: string): Promise<void> {
  await page.goto(`sign-in?token=${token}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}
