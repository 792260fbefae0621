import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll } from 'vitest'
import { findChromium } from './chromium.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
export const DASHBOARD_FOLDER = resolve(ROOT, 'packages/dashboard/dist')

/** Like `npm start`, and only if it is outdated. */
export async function buildDashboard(): Promise<void> {
  await promisify(execFile)(process.execPath, [resolve(ROOT, 'scripts/build-dashboard.ts')])
}

/** One browser for all tests of a file; call it at the top level. */
export async function openChromium(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox'] })
  afterAll(() => browser.close())
  return browser
}

/** Errors of the browser: failed scripts and violations of the page's policy. */
export function consoleErrorsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    // A refusal by the server is in the console too, but is not an error of the page.
    const isRefusal = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text())
  })
  return complaints
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]; passes: unknown[] }

/** Accessibility problems found by axe, with all of its rules by default. */
export async function barriersIn(page: Page, runOnly?: string[]): Promise<string[]> {
  await untilStill(page)
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE)
  const { violations, passes } = await page.evaluate(
    // The line above defines it.
    (options) => (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe.run(options),
    // Mail is in frames without axe, which would wait half a second for each.
    { resultTypes: ['violations'], iframes: false, ...(runOnly && { runOnly }) },
  )
  if (passes.length === 0) throw new Error('axe has looked at nothing.')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  )
}

/** Elements that fade in have too little contrast at first. Endless animations are not waited for. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    const moving = () =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) => playState === 'running' && Number.isFinite(effect?.getComputedTiming().endTime),
        )
    // New elements start to animate in their second frame, and so do elements that inherit a colour that has changed.
    do {
      await Promise.allSettled(moving().map(({ finished }) => finished))
      await nextFrame()
      await nextFrame()
    } while (moving().length > 0)
  })
}
