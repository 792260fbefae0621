import { afterAll, expect, onTestFinished, test } from 'vitest'
import { faults } from '../dashboard/isolation-faults.ts'
import type { Attack } from '../dashboard/isolation-attack.ts'
import { openBrowser, openCanary, REPORTING_SCRIPT } from '../dashboard/isolation-browser.ts'
import { showInDashboard, type Effects } from '../dashboard/isolation-dashboard.ts'
import { attacks } from '../dashboard/isolation-mails.ts'
import { varied } from '../dashboard/isolation-variants.ts'
import { buildDashboard } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const MAILS = 2_000
/** The others are variants that break the attack that they are derived from. */
const EFFECT_SHARE_MIN = 0.75
const EXAMPLES_MAX = 5
const EXAMPLE_CHARACTERS = 1_000
/** In the control, a browser on a busy machine may ignore clicks for a while. */
const TRIES_MAX = 10
/** How many mails are stored at once. */
const TOGETHER = 50

const RAN = 'messages that ran a script'
const SENT = 'messages that sent a request'
const ARRIVED = 'requests that arrived'
const CONNECTED = 'connections that arrived, also without a request'
const HINTING = 'pages with an element that can make a browser connect ahead (link, meta)'
const RESOLVING = 'pages that let a browser resolve the hosts of links'
const OPENED = 'messages that opened or left a window'

await buildDashboard()
const server = await startFileServer({ RATE_LIMIT: 'off' })
const operator = await (await openPeople(server)).operator()
const browser = await openBrowser()
afterAll(() => browser.close())

test('mail runs no script and sends no request in the dashboard', async () => {
  const canary = await openCanary()
  onTestFinished(() => canary.close())
  const known = attacks({ script: REPORTING_SCRIPT, url: canary.url })
  const mails = [...known, ...variants(known.length, canary.url)]
  const ids = await storeAll(mails)
  const served = await readPages(ids)
  const shown = await showAll(mails, ids, { hasSandbox: true })
  const acting = mails.flatMap((mail, number) => (hasEffect(shown[number]!) ? [{ number, mail }] : []))
  for (const { number, mail } of acting.slice(0, EXAMPLES_MAX))
    progress(`failed: message ${number} of seed ${SEED} (${mail.kind}): ${mail.html.slice(0, EXAMPLE_CHARACTERS)}`)
  const received = canary.hits.size
  const connected = canary.connections.size
  canary.hits.clear()
  progress('the control: the same messages in the same page, without cleaning, policy and sandbox')
  faults.servesRawMail = true
  const raw = await readPages(ids)
  const exposed = await exposeAll(mails, ids)
  faults.servesRawMail = false
  const withoutRequest = [...canary.connections.values()].filter(({ hasRequest }) => !hasRequest).length
  const withEffect = mails.filter((_, index) => hasEffect(exposed[index]!))
  const needingClick = mails.filter(({ needsClick }) => needsClick).length
  const kinds = new Set(mails.map(({ kind }) => kind))
  const workingKinds = new Set(withEffect.map(({ kind }) => kind))
  progress(`kinds that do nothing in the control: ${[...kinds.difference(workingKinds)].join(', ') || 'none'}`)

  prove({
    claim: 'No mail ran a script or sent a request in the dashboard.',
    tried:
      'Known attacks of these kinds (handlers, scripts, addresses, frames, styles, forms, redirects, mutations, encodings), and each ' +
      'in random other markup and spelling, opened one after another in the dashboard in Chromium. Messages that need a click are clicked. Remote images are off, as by default; mail with images allowed and previews of attachments were not tried. ' +
      'The server that they name records connections too. This browser ignores hints to connect ahead (preconnect, ' +
      'dns-prefetch), so the page of each mail is also searched for them.',
    figures: [
      atLeast(mails.length * EFFECT_SHARE_MIN, 'messages that do something without protection', withEffect.length),
      atLeast(
        mails.length,
        'messages shown, also those that do nothing',
        shown.filter(({ isShown }) => isShown).length,
      ),
      counted('messages shown that are known attacks', known.length),
      atLeast(needingClick, 'messages clicked', shown.filter(({ isClicked }) => isClicked).length),
      atMost(0, RAN, countOf(shown, 'scripts')),
      atMost(0, SENT, countOf(shown, 'requests')),
      atMost(0, ARRIVED, received),
      atMost(0, CONNECTED, connected),
      atMost(0, HINTING, served.hinting),
      atMost(0, RESOLVING, served.resolving),
      atMost(0, OPENED, countOf(shown, 'windows')),
    ],
    control: {
      tried:
        'The same messages, clicks, page and browser, with a server that serves mail as it is, without cleaning and policy, and a frame ' +
        'without sandbox. Some variants break the attack that they are derived from, so they do nothing there either.',
      figures: [
        atLeast(kinds.size, 'kinds of attack that do something', workingKinds.size),
        atLeast(Math.round(mails.length / 4), RAN, countOf(exposed, 'scripts')),
        atLeast(Math.round(mails.length / 5), SENT, countOf(exposed, 'requests')),
        atLeast(Math.round(mails.length / 5), ARRIVED, canary.hits.size),
        atLeast(1, CONNECTED, canary.connections.size),
        atLeast(1, 'connections that arrived without a request', withoutRequest),
        atLeast(1, HINTING, raw.hinting),
        atLeast(1, RESOLVING, raw.resolving),
        atLeast(1, OPENED, countOf(exposed, 'windows')),
      ],
    },
  })
})

function countOf(all: Effects[], kind: 'scripts' | 'requests' | 'windows'): number {
  return all.filter((effects) => effects[kind].length > 0).length
}

function hasEffect({ scripts, requests, windows }: Effects): boolean {
  return scripts.length + requests.length + windows.length > 0
}

/** Without protection. Mails of a kind without any effect are shown again. */
async function exposeAll(mails: Attack[], ids: string[]): Promise<Effects[]> {
  const exposed = await showAll(mails, ids, { hasSandbox: false })
  for (let tries = 1; tries < TRIES_MAX; tries++) {
    const working = new Set(mails.flatMap(({ kind }, index) => (hasEffect(exposed[index]!) ? [kind] : [])))
    const again = mails.flatMap(({ kind }, index) => (working.has(kind) ? [] : [index]))
    if (again.length === 0) break
    const pick = <One>(all: One[]) => again.map((index) => all[index]!)
    const effects = await showAll(pick(mails), pick(ids), { hasSandbox: false })
    for (const [at, index] of again.entries()) exposed[index] = effects[at]!
  }
  return exposed
}

async function showAll(mails: Attack[], ids: string[], { hasSandbox }: { hasSandbox: boolean }): Promise<Effects[]> {
  return showInDashboard(
    browser,
    mails.map(({ needsClick }, index) => ({ id: ids[index]!, needsClick })),
    {
      url: server.url,
      headers: operator.headers,
      hasSandbox,
      onShown: (count) => count % 200 === 0 && progress(`${count} of ${mails.length} messages`),
    },
  )
}

/** Variants of every known attack in turn, with URLs of their own, so that a request shows which mail sent it. */
function variants(knownCount: number, url: (file: string) => string): Attack[] {
  const random = seededRandom(SEED)
  const made = new Map<string, Attack>()
  for (let round = 1; made.size < MAILS - knownCount; round++) {
    const ofRound = (file: string) => url(file.replace(/\.(?=\w+$)/, `.${round}.`))
    for (const attack of attacks({ script: REPORTING_SCRIPT, url: ofRound })) {
      const variant = varied(random, attack)
      made.set(variant.html, variant)
    }
  }
  return Array.from(made.values()).slice(0, MAILS - knownCount)
}

/** Elements of a page, but not those that each page of a mail begins with. */
const HINT = /<(?:link|meta(?! charset="utf-8"| name="(?:viewport|color-scheme)"))\b/i

/** How many pages of mail have what a browser may connect for before there is a request. */
async function readPages(ids: string[]): Promise<{ hinting: number; resolving: number }> {
  const found = { hinting: 0, resolving: 0 }
  for (const id of ids) {
    const { path } = await operator.call.inbox.messages.view.query({ id })
    const answer = await fetch(server.url + path)
    if (HINT.test(await answer.text())) found.hinting++
    if (answer.headers.get('x-dns-prefetch-control') !== 'off') found.resolving++
  }
  return found
}

async function storeAll(mails: Attack[]): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < mails.length; start += TOGETHER) {
    const group = mails.slice(start, start + TOGETHER)
    const stored = group.map(({ html }) => server.store({ domain: 'mailhatch.test', rawContent: html }))
    ids.push(...(await Promise.all(stored)).map(({ id }) => id))
  }
  expect(new Set(ids).size).toBe(mails.length)
  return ids
}
