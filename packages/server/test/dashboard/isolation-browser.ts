import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { chromium, type Browser, type Page } from 'playwright-core'
import { findChromium } from '../support/chromium.ts'

/** Runs in the page of a mail or in a frame of it, and reports to the page around it what it could read. */
export const REPORTING_SCRIPT = `top.postMessage('ran '+document.cookie,'*')`

/** A frame that loads for longer was shown long enough. */
const LOADING_MS_MAX = 1_500

export type Canary = Awaited<ReturnType<typeof openCanary>>

/**
 * A server that tracking mail tries to reach. It records the requests, and the connections, because a browser may also connect
 * ahead of a request that it never sends.
 */
export async function openCanary() {
  const hits = new Set<string>()
  const { url, connections, close } = await listen((path) => {
    hits.add(path.slice(1))
    return { type: typeOf(path), body: path.endsWith('.js') ? REPORTING_SCRIPT : '' }
  })
  return { url: (file: string) => `${url}/${file}`, hits, connections, close }
}

/** The same mails without any protection. */
export async function openControl(pages: string[]) {
  return listen((path) => ({ type: 'text/html; charset=utf-8', body: pages[Number(path.slice(1))] ?? '' }))
}

export async function openBrowser(): Promise<Browser> {
  // A process per frame would be another barrier, and hundreds of processes. Only our own barriers are tested.
  const args = ['--no-sandbox', '--disable-features=IsolateSandboxedIframes']
  return chromium.launch({ executablePath: await findChromium(), args })
}

/** A page at `url` that shows mail in frames and listens to it. It has a cookie to steal. */
export async function openAround(browser: Browser, options: { url: string; sandbox: string | null; cookie: string }) {
  const { url, sandbox, cookie } = options
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 } })
  await context.addCookies([{ name: 'stolen', value: cookie, url, sameSite: 'Lax' }])
  const around = `${url}/around`
  await context.route(around, (route) => route.fulfill({ contentType: 'text/html', body: AROUND }))
  const page = await context.newPage()
  let popups = 0
  context.on('page', (popup) => {
    popups++
    void popup.close().catch(() => {})
  })
  await page.goto(around)

  /** What each mail did (messages to the page), and all together (pages opened or left). */
  async function show(paths: string[], withClicks: boolean) {
    popups = 0
    // A page that navigates away has lost its results.
    const ask = <Answer>(asked: Promise<Answer>) => asked.catch(() => null)
    await ask(page.evaluate(showInFrames, { paths, sandbox, loadingMsMax: LOADING_MS_MAX }))
    if (withClicks) await clickAround(page)
    const told = (await ask(page.evaluate(takeMessages))) ?? []
    const hasLeft = page.url() !== around
    if (hasLeft) await page.goto(around)
    return { told, popups, hasLeft }
  }

  return { show, close: () => context.close() }
}

const AROUND = `<!doctype html><title>around</title><style>body { margin: 0 }</style><script>
  window.told = []
  addEventListener('message', ({ source, data }) => {
    for (const frame of document.querySelectorAll('iframe'))
      // A frame in the frame counts too.
      if (frame.contentWindow === source || frame.contentWindow === source?.parent) told.push({ path: frame.getAttribute('src'), text: String(data) })
  })
</script>`

/** What the mail at `path` posted. It may be a mail that was shown earlier. */
type Message = { path: string; text: string }

type Showing = { paths: string[]; sandbox: string | null; loadingMsMax: number }

/** Runs in the browser. */
async function showInFrames({ paths, sandbox, loadingMsMax }: Showing): Promise<void> {
  document.body.replaceChildren()
  const loaded = paths.map((path) => {
    const frame = document.createElement('iframe')
    if (sandbox !== null) frame.setAttribute('sandbox', sandbox)
    frame.referrerPolicy = 'no-referrer'
    frame.width = '160'
    frame.height = '160'
    frame.src = path
    const done = new Promise((resolve) => frame.addEventListener('load', resolve))
    document.body.append(frame)
    return done
  })
  const tooLong = new Promise((resolve) => setTimeout(resolve, loadingMsMax))
  await Promise.race([Promise.all(loaded), tooLong])
}

/** Runs in the browser. */
async function takeMessages(): Promise<Message[]> {
  // Posted messages arrive before this; animations and focus handlers take a frame or two.
  await new Promise((resolve) => setTimeout(resolve, 50))
  // Set by the page's own script.
  const page = globalThis as unknown as { told: Message[] }
  return page.told.splice(0)
}

/** The position of the first words of a mail, whatever margin its page has. */
async function clickAround(page: Page): Promise<void> {
  for (const [x, y] of [
    [30, 20],
    [40, 32],
    [50, 60],
  ] as const) {
    await page.mouse.click(x, y).catch(() => {})
  }
}

function typeOf(path: string): string {
  if (path.endsWith('.js')) return 'text/javascript'
  if (path.endsWith('.css')) return 'text/css'
  if (path.endsWith('.svg')) return 'image/svg+xml'
  return path.endsWith('.html') ? 'text/html' : 'image/png'
}

type Connection = { hasRequest: boolean }

async function listen(answer: (path: string) => { type: string; body: string }) {
  const connections = new Map<Socket, Connection>()
  const server = createServer((request, response) => {
    connections.set(request.socket, { hasRequest: true })
    const { type, body } = answer(request.url ?? '')
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body)
  })
  server.on('connection', (socket) => connections.set(socket, { hasRequest: false }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, connections, close }
}
