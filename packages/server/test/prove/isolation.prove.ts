import { afterAll, expect, test } from 'vitest'
import type { Attack } from '../dashboard/isolation-attack.ts'
import { openBrowser, openCanary, REPORTING_SCRIPT } from '../dashboard/isolation-browser.ts'
import { showInDashboard } from '../dashboard/isolation-dashboard.ts'
import { attacks } from '../dashboard/isolation-mails.ts'
import { exposeMails } from '../dashboard/isolation-run.ts'
import { varied } from '../dashboard/isolation-variants.ts'
import { buildDashboard } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { atLeast, atMost, counted, progress, prove, SEED } from './proof.ts'

const MAILS = 2_000
/** How many mails are stored at once. */
const TOGETHER = 50

await buildDashboard()
const server = await startFileServer({ RATE_LIMIT: 'off' })
const operator = await (await openPeople(server)).operator()
const browser = await openBrowser()
afterAll(() => browser.close())

test('mail runs no script and sends no request in the dashboard', async () => {
  const canary = await openCanary()
  const known = attacks({ script: REPORTING_SCRIPT, url: canary.url })
  const mails = [...known, ...variants(known.length, canary.url)]
  const ids = await storeAll(mails)
  const { shown, scripts, requests, windows } = await showInDashboard(
    browser,
    mails.map(({ needsClick }, index) => ({ id: ids[index]!, needsClick })),
    {
      ...server,
      headers: operator.headers,
      onShown: (count) => count % 200 === 0 && progress(`${count} of ${MAILS} mails`),
    },
  )
  const received = canary.hits.size
  progress('the control: the same mails without our frame')
  // Each click takes a page of its own, so of those mails only the known ones are shown again.
  const exposed = await exposeMails(
    browser,
    mails.filter((mail) => !mail.needsClick || known.includes(mail)),
    canary,
  )
  canary.close()

  prove({
    claim: 'A mail runs no script and sends no request in the dashboard.',
    tried:
      'Known attacks of every kind (handlers, scripts, addresses, frames, styles, forms, redirects, mutations, encodings), and each ' +
      'in random other markup and spelling, opened one after another in the dashboard in Chromium. Mails that need a click are clicked.',
    figures: [
      atLeast(MAILS, 'mails shown', shown),
      counted('of these known attacks', known.length),
      atMost(0, 'scripts that ran', scripts.length),
      atMost(0, 'requests sent by mail', requests.length + received),
      atMost(0, 'windows opened or left by mail', windows.length),
    ],
    control: {
      tried: 'The same mails and browser in a page of another server, without the frame, the policy and the cleaning.',
      figures: [
        counted('mails shown', exposed.shown),
        atLeast(Math.round(exposed.shown / 3), 'mails that ran a script', exposed.ran),
        atLeast(Math.round(exposed.shown / 3), 'mails that read a cookie', exposed.stole),
        atLeast(Math.round(exposed.shown / 4), 'mails that sent a request', exposed.reached),
        atMost(0, 'kinds of attack that did nothing', exposed.kindsWithoutEffect.length),
      ],
    },
  })
})

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
