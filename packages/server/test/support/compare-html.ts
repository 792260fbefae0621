import { expect } from 'vitest'
import { cleanHtml } from '../../src/domain/html/clean-html.ts'
import * as browser from './browser-html.ts'
import { seededRandom } from './seeded-random.ts'

/** Compares our tokens, and what cleaning leaves, with what parse5 finds in random documents. */
export function compareWithStandard({ seed, documents }: { seed: number; documents: number }): void {
  const random = seededRandom(seed)
  let withText = 0
  let withAttack = 0
  for (let count = 0; count < documents; count++) {
    const isOdd = random.chance(0.3)
    const html = browser.randomHtml(random, { isOdd })
    const tree = browser.standardTree(html)
    const cleaned = browser.standardTree(cleanHtml(html, { remoteImages: false, inlineImage: () => null }).html)
    const ours = browser.ourTokens(html)
    // Compared before `expect`, which would make a message for each document.
    if (JSON.stringify(ours) !== JSON.stringify(browser.standardTokens(html)))
      expect(ours, JSON.stringify(html)).toEqual(browser.standardTokens(html))
    expectSameAttributes(html, ours)
    if (hasAttack(cleaned)) expect(cleaned, JSON.stringify(html)).toBe('free of attacks')
    if (!isOdd && (tree.text !== browser.tokenText(ours) || tree.text !== cleaned.text))
      expect([browser.tokenText(ours), cleaned.text], JSON.stringify(html)).toEqual([tree.text, tree.text])
    if (tree.text !== '') withText++
    if (hasAttack(tree)) withAttack++
  }
  // The documents are worth comparing.
  expect(withText).toBeGreaterThan(documents / 2)
  expect(withAttack).toBeGreaterThan(documents / 10)
}

function expectSameAttributes(html: string, tokens: browser.HtmlToken[]): void {
  const all = tokens.flatMap(({ attributes }) => (attributes ? [new Map(attributes)] : []))
  for (const [index, kept] of browser.ourAttributes(html).entries()) {
    const given = all[index] ?? new Map<string, string>()
    for (const name of ['href', 'alt', 'style', 'bgcolor', 'color'] as const) {
      const value = kept[name] === undefined ? undefined : browser.even(kept[name])
      if (value !== given.get(name)) expect(value, `${name} in ${JSON.stringify(html)}`).toBe(given.get(name))
    }
    const isHidden = given.has('hidden') || /display\s*:\s*none/i.test(given.get('style') ?? '')
    if ((kept.hidden ?? false) !== isHidden) expect(kept.hidden, JSON.stringify(html)).toBe(isHidden)
  }
}

const UNSAFE =
  /^(?:script|iframe|noembed|noframes|xmp|plaintext|textarea|title|svg|math|select|template|noscript|frameset)$/

function hasAttack({ elements, attributes }: browser.HtmlTree): boolean {
  return (
    elements.some((name) => UNSAFE.test(name)) ||
    attributes.some(([name, value]) => name.startsWith('on') || (name === 'href' && value.startsWith('javascript:')))
  )
}
