import { expect, test } from 'vitest'
import { workMs } from '../support/work-time.ts'
import { HOSTILE_HTML, READERS } from './hostile-html.ts'

const LENGTH = 256 * 1024
/** Ten times what the slowest input takes. A quadratic scan of so much takes seconds. */
const MS_MAX = 400
/** The long form has all of them, and more of each. */
const SOME = HOSTILE_HTML.filter((_, index) => index % 3 === 0)

test.each(SOME)('256 KiB of $name take no more time than other HTML', ({ ofLength }) => {
  const html = ofLength(LENGTH)
  for (const [reader, read] of Object.entries(READERS))
    expect(
      workMs(() => read(html)),
      reader,
    ).toBeLessThan(MS_MAX)
})
