import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'

/** Windows at a time. */
const WINDOWS = 3
/** A mail that is not shown by then is not shown at all. */
const SHOWN_MS_MAX = 60_000
/** In the control, where some mails never finish loading. */
const UNPROTECTED_MS_MAX = 10_000
/** A mail that is shown has its frame. */
const FRAME_MS_MAX = 5_000
/** A browser on a busy machine may ignore clicks for a while. */
const CLICKS_MAX = 100
/** How long a mail stays after it has loaded: animations and focus handlers take a frame or two. */
const STAY_MS = 50

export type ShownMail = { id: string; needsClick?: boolean | undefined }
/** What a mail did: texts that its scripts posted, URLs that it requested, and windows that it opened or left. */
export type Effects = { isShown: boolean; isClicked: boolean; scripts: string[]; requests: string[]; windows: string[] }

type Visit = {
  url: string
  headers: { cookie: string }
  onShown: (count: number) => void
  /** Whether the frame of the mail has its sandbox. */
  hasSandbox: boolean
}

/** Opens every mail in the dashboard, one after another as a user does, in a few windows. Resolves to what each did. */
export async function showInDashboard(browser: Browser, mails: ShownMail[], visit: Visit): Promise<Effects[]> {
  const effects = mails.map(noEffects)
  const left = mails.entries()
  const shownMsMax = visit.hasSandbox ? SHOWN_MS_MAX : UNPROTECTED_MS_MAX
  let shown = 0
  async function work(): Promise<void> {
    let inbox = await openInbox(browser, visit)
    for (const [index, { id, needsClick = false }] of left) {
      const found = effects[index]!
      const path = `/m/${id}?tab=html`
      inbox.attribute(found)
      // A page that was left has lost its results.
      const orLost = <Result>(asked: Promise<Result>) => asked.catch(() => null)
      await orLost(inbox.page.evaluate(openMail, { path, shownMsMax, stayMs: STAY_MS }))
      if (needsClick) found.isClicked = await clickInFrame(inbox.page, visit)
      const result = await orLost(inbox.page.evaluate(takeResult))
      found.isShown = result?.isShown ?? false
      found.scripts.push(...(result?.posted ?? []))
      const hasLeft = result === null || !inbox.page.url().endsWith(path)
      if (hasLeft) found.windows.push(`${path} became ${inbox.page.url()}`)
      if (hasLeft || !found.isShown) {
        // What the mail has begun ends with its window.
        await inbox.page.context().close()
        inbox = await openInbox(browser, visit)
      }
      visit.onShown(++shown)
    }
    await inbox.page.context().close()
  }
  await Promise.all(Array.from({ length: WINDOWS }, work))
  return effects
}

function noEffects(): Effects {
  return { isShown: false, isClicked: false, scripts: [], requests: [], windows: [] }
}

async function openInbox(browser: Browser, { url, headers, hasSandbox }: Visit) {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1200, height: 900 } })
  const [name, value] = headers.cookie.split('=')
  await context.addCookies([{ name: name!, value: value!, url }])
  await context.addInitScript(recordPosted)
  if (!hasSandbox) await context.addInitScript(ignoreSandbox)
  const page = await context.newPage()
  let effects = noEffects()
  context.on('page', (popup) => {
    effects.windows.push(`opened ${popup.url()}`)
    void popup.close().catch(() => {})
  })
  page.on('request', (request) => {
    // The page of the mail itself is the only thing that its frame may load.
    const isOwn = request.isNavigationRequest() && request.url().startsWith(`${url}/view/`)
    if (request.frame() !== page.mainFrame() && !isOwn) effects.requests.push(request.url())
  })
  await page.goto('/')
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return { page, attribute: (to: Effects) => void (effects = to) }
}

/** Runs in the browser, before every page: the frame of the control has no sandbox. */
function ignoreSandbox(): void {
  const original = Element.prototype.setAttribute
  Element.prototype.setAttribute = function setAttribute(name, value) {
    if (name !== 'sandbox') original.call(this, name, value)
  }
}

type Result = { isShown: boolean; posted: string[] }
type Recording = { result: Result }

/** Runs in the browser, before every page. */
function recordPosted(): void {
  // Read by takeResult.
  const recording = globalThis as unknown as Recording
  recording.result = { isShown: false, posted: [] }
  addEventListener('message', ({ data }) => recording.result.posted.push(String(data)))
}

/** Runs in the browser. */
function takeResult(): Result {
  const recording = globalThis as unknown as Recording
  const { result } = recording
  recording.result = { isShown: false, posted: [] }
  return result
}

/** Runs in the browser: follows a link to the mail as the dashboard does, and waits until it is shown. */
async function openMail({ path, shownMsMax, stayMs }: { path: string; shownMsMax: number; stayMs: number }) {
  const before = document.querySelector('iframe')
  const loaded = new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error(`${path} is not shown.`)), shownMsMax)
    const observer = new MutationObserver(() => {
      const frame = document.querySelector('iframe')
      if (!frame || frame === before) return
      observer.disconnect()
      frame.addEventListener('load', () => resolve())
    })
    observer.observe(document.body, { childList: true, subtree: true })
  })
  history.pushState(null, '', path)
  await loaded
  await new Promise((resolve) => setTimeout(resolve, stayMs))
  ;(globalThis as unknown as Recording).result.isShown = true
}

/**
 * Where the first words of a mail are, whatever margin its page has. With the sandbox, until the frame has the focus, which a
 * click gives it; in the control, mail takes the focus, or replaces the page. False if the frame never gets it.
 */
async function clickInFrame(page: Page, { hasSandbox }: Pick<Visit, 'hasSandbox'>): Promise<boolean> {
  // In the control, a mail may have replaced the page, and its frame with it.
  const box = await page
    .locator('iframe')
    .boundingBox({ timeout: FRAME_MS_MAX })
    .catch(() => null)
  if (hasSandbox && box === null) return false
  for (let tries = 0; tries < CLICKS_MAX; tries++) {
    await clickOnce(page, box ?? { x: 0, y: 0 })
    const isFocused = await page.evaluate(() => document.activeElement instanceof HTMLIFrameElement).catch(() => false)
    if (isFocused || !hasSandbox) return isFocused
    await sleep(STAY_MS)
  }
  return false
}

async function clickOnce(page: Page, { x: left, y: top }: { x: number; y: number }): Promise<void> {
  for (const [x, y] of [
    [30, 20],
    [40, 32],
    [50, 60],
  ] as const) {
    await page.mouse.click(left + x, top + y).catch(() => {})
  }
}
