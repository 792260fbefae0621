import type { Browser, Page } from 'playwright-core'

/** Windows at a time. */
const WINDOWS = 3
/** A mail that is not shown by then is not shown at all. */
const SHOWN_MS_MAX = 60_000
/** How long a mail stays after it has loaded: animations and focus handlers take a frame or two. */
const STAY_MS = 50

export type ShownMail = { id: string; needsClick?: boolean | undefined }
/** What the mails did: texts that scripts posted, URLs that were requested, and windows that were opened or left. */
export type Effects = { shown: number; scripts: string[]; requests: string[]; windows: string[] }

type Visit = { url: string; headers: { cookie: string }; onShown: (count: number) => void }

/** Opens every mail in the dashboard, one after another as a user does, in a few windows. */
export async function showInDashboard(browser: Browser, mails: ShownMail[], visit: Visit): Promise<Effects> {
  const effects: Effects = { shown: 0, scripts: [], requests: [], windows: [] }
  const left = mails.values()
  async function work(): Promise<void> {
    const page = await openInbox(browser, visit, effects)
    for (const { id, needsClick = false } of left) {
      const path = `/m/${id}?tab=html`
      // A page that was left has lost its results.
      const orLost = <Result>(asked: Promise<Result>) => asked.catch(() => null)
      await orLost(page.evaluate(openMail, { path, shownMsMax: SHOWN_MS_MAX, stayMs: STAY_MS }))
      if (needsClick) await clickInFrame(page)
      const result = await orLost(page.evaluate(takeResult))
      if (!result?.isShown || !page.url().endsWith(path)) {
        effects.windows.push(`${path} became ${page.url()}`)
        await page.goto('/')
      }
      effects.scripts.push(...(result?.posted ?? []))
      visit.onShown(++effects.shown)
    }
    await page.context().close()
  }
  await Promise.all(Array.from({ length: WINDOWS }, work))
  return effects
}

async function openInbox(browser: Browser, { url, headers }: Visit, effects: Effects): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1200, height: 900 } })
  const [name, value] = headers.cookie.split('=')
  await context.addCookies([{ name: name!, value: value!, url }])
  await context.addInitScript(recordPosted)
  const page = await context.newPage()
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
  return page
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

/** Where the first words of a mail are, whatever margin its page has. */
async function clickInFrame(page: Page): Promise<void> {
  const box = await page.locator('iframe').boundingBox()
  for (const [x, y] of [
    [30, 20],
    [40, 32],
    [50, 60],
  ] as const) {
    await page.mouse.click((box?.x ?? 0) + x, (box?.y ?? 0) + y).catch(() => {})
  }
}
