import { expect, test } from 'vitest'
import { cleanHtml } from '../src/domain/html/clean-html.ts'
import { seededRandom } from './support/seeded-random.ts'
import { workMs } from './support/work-time.ts'

const PIECES = ['<a b>', '&', '"', "'", '<', '>', '<b title="', '&lt;', '&quot;', '<img src=cid:a>', '<style>', '</style>',
  '<div style="background:url(cid:a)">', '<img srcset="cid:a 1x">', 'url(', 'src(', 'attr(', '@import', '<td background=cid:a>',
  '<img alt="&amp;&amp;&amp;">', '<p style="', '/*', '*/', '\\', '&copy', '<area href=#>', '<a href="https://x.example/?a=1&b=2">'] // prettier-ignore

/** Random content that grows when it is cleaned. */
export function testGrowth({ seed, mixes }: { seed: number; mixes: number }): void {
  test(`no combination of growing content makes a page larger than that (seed ${seed})`, () => {
    const random = seededRandom(seed)
    const image = `data:image/png;base64,${'A'.repeat(100_000)}`
    const units = Array.from({ length: mixes }, () =>
      Array.from({ length: 1 + random.below(3) }, () => random.pick(PIECES)),
    )
    for (const mix of units) {
      const unit = mix.join('')
      const html = unit.repeat(Math.floor((1024 * 1024) / unit.length))
      let cleaned = ''
      const tookMs = workMs(() => {
        cleaned = cleanHtml(html, { remoteImages: true, inlineImage: () => image }).html
      })
      expect({ unit, isSmall: cleaned.length <= 7_000_000 + 4 * 1024 * 1024 }).toEqual({ unit, isSmall: true })
      expect({ unit, isQuick: tookMs < 2_000 }).toEqual({ unit, isQuick: true })
    }
  })
}
