import { expect, test } from 'vitest'
import { cleanHtml } from '../../src/domain/clean-html.ts'
import { openAround, openBrowser, openCanary, openControl, TELLING_SCRIPT } from './isolation-browser.ts'
import { attacks } from './isolation-mails.ts'
test('cleaned alone', { timeout: 120_000 }, async () => {
  const browser = await openBrowser()
  const canary = await openCanary()
  const mails = attacks({ script: TELLING_SCRIPT, url: canary.url })
  const control = await openControl(mails.map(({ html }) => cleanHtml(html, { remoteImages: false, inlineImage: () => null })))
  const around = await openAround(browser, { url: control.url, sandbox: null, cookie: 'x' })
  const bad: unknown[] = []
  for (let from = 0; from < mails.length; from += 28) {
    const r = await around.show(mails.slice(from, from + 28).map((_, i) => `/${from + i}`), false)
    for (const t of r.told) bad.push([t, mails[from + t.index]])
    if (r.popups || r.hasLeft) bad.push([from, r])
  }
  for (const [i, m] of mails.entries()) if (m.needsClick) { const r = await around.show([`/${i}`], true); if (r.told.length || r.popups || r.hasLeft) bad.push([m, r]) }
  console.log(JSON.stringify(bad), [...canary.hits])
  await browser.close(); control.close(); canary.close()
  expect(1).toBe(1)
})
