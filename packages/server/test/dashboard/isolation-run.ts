import type { Browser } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { openAround, openBrowser, openCanary, openControl, REPORTING_SCRIPT, type Canary } from './isolation-browser.ts'
import type { Attack } from './isolation-attack.ts'
import { attacks } from './isolation-mails.ts'

/** The sandbox of the dashboard. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox'
const COOKIE = 'cookie-to-be-stolen'
/** Mails per page. Those that need a click are alone. */
const FRAMES = 28

/**
 * Shows hostile mails in the frame of the dashboard, where they must do nothing, and then without it, where each kind must do
 * something. Called at the top of a file; the function that it returns shows those that `pick` chooses.
 */
export async function openIsolation() {
  const server = await startFileServer()
  const operator = await (await openPeople(server)).operator()
  const browser = await openBrowser()
  afterAll(() => browser.close())

  return async (pick: (all: Attack[]) => Attack[], countMin: number): Promise<void> => {
    const canary = await openCanary()
    const mails = pick(attacks({ script: REPORTING_SCRIPT, url: canary.url }))
    expect(new Set(mails.map(({ html }) => html)).size).toBe(mails.length)
    expect(mails.length).toBeGreaterThanOrEqual(countMin)
    const stored = mails.map(({ html }) => server.store({ domain: 'mailhatch.test', rawContent: html }))
    const ids = (await Promise.all(stored)).map(({ id }) => id)

    const isolated = await showAll(browser, mails, {
      url: server.url,
      sandbox: SANDBOX,
      pathOf: async (index) => (await operator.call.inbox.messages.view.query({ id: ids[index]! })).path,
    })
    expect(isolated).toEqual([])
    expect(Array.from(canary.hits)).toEqual([])
    expect(canary.connections.size).toBe(0)

    // The same mail, browser and pages, without the protection.
    const { ran, stole, reached, kindsWithoutEffect } = await exposeMails(browser, mails, canary)
    expect(ran).toBeGreaterThan(countMin / 3)
    expect(stole).toBeGreaterThan(countMin / 3)
    expect(reached).toBeGreaterThan(countMin / 3)
    // Each kind of attack works without protection.
    expect(kindsWithoutEffect).toEqual([])
    canary.close()
  }
}

/** Shows the mails without any protection, and counts those that did something. */
async function exposeMails(browser: Browser, mails: Attack[], canary: Pick<Canary, 'hits'>) {
  const control = await openControl(mails.map(({ html }) => html))
  const expose = (some: Attack[]) =>
    showAll(browser, some, {
      url: control.url,
      sandbox: null,
      pathOf: async (index) => `/${mails.indexOf(some[index]!)}`,
    })
  const exposed = await expose(mails)
  const reached = () => mails.filter(({ html }) => Array.from(canary.hits).some((file) => html.includes(file)))
  const withoutEffect = () => {
    const working = new Set([...exposed.map(({ attack }) => attack), ...reached()].map(kindOf))
    return mails.filter(({ kind }) => !working.has(kind))
  }
  // A browser on a busy machine may ignore clicks for a while. A new window accepts them.
  for (let again = 0; again < 50 && withoutEffect().length > 0; again++)
    exposed.push(...(await expose(withoutEffect())))
  control.close()
  return {
    ran: new Set(exposed.map(({ attack }) => attack)).size,
    stole: new Set(exposed.flatMap(({ attack, what }) => (what.includes(COOKIE) ? [attack] : []))).size,
    reached: reached().length,
    kindsWithoutEffect: Array.from(new Set(withoutEffect().map(kindOf))),
  }
}

/** Opens every mail in a frame of a page at `url`, and reports which did something. */
async function showAll(
  browser: Browser,
  mails: Attack[],
  { url, sandbox, pathOf }: { url: string; sandbox: string | null; pathOf: (index: number) => Promise<string> },
): Promise<{ attack: Attack; what: string }[]> {
  const around = await openAround(browser, { url, sandbox, cookie: COOKIE })
  const reactions: { attack: Attack; what: string }[] = []
  const attackAt = new Map<string, Attack>()
  for (const group of groupsOf(mails)) {
    const paths = await Promise.all(group.map(({ index }) => pathOf(index)))
    for (const [at, path] of paths.entries()) attackAt.set(path, group[at]!.attack)
    const { told, popups, hasLeft } = await around.show(paths, group.length === 1)
    for (const { path, text } of told) reactions.push({ attack: attackAt.get(path)!, what: text })
    if (popups > 0 || hasLeft)
      reactions.push({ attack: group[0]!.attack, what: hasLeft ? 'left the page' : 'opened one' })
  }
  await around.close()
  return reactions
}

function kindOf({ kind }: Attack): string {
  return kind
}

function groupsOf(mails: Attack[]): { attack: Attack; index: number }[][] {
  const numbered = mails.map((attack, index) => ({ attack, index }))
  const unclicked = numbered.filter(({ attack }) => !attack.needsClick)
  const together = Array.from({ length: Math.ceil(unclicked.length / FRAMES) }, (_, group) =>
    unclicked.slice(group * FRAMES, (group + 1) * FRAMES),
  )
  return [...together, ...numbered.filter(({ attack }) => attack.needsClick).map((one) => [one])]
}
