import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RetentionNotice } from './retention-notice.tsx'

test.each([
  [null, 'For ever; nothing is deleted by itself.', false],
  [1, 'For 1 day. Older mail is gone at once from every view.', true],
  [14, 'For 14 days. Older mail is gone at once from every view.', true],
])('mail kept for %s days', (days, said, isSwept) => {
  const text = renderToStaticMarkup(createElement(RetentionNotice, { days })).replaceAll(/<[^>]+>/g, '')
  expect(text.startsWith(said)).toBe(true)
  const sweep = 'Its bytes go with the next sweep: one comes every minute, or as often as RETENTION_SWEEP_SECONDS says.'
  expect(text.endsWith(sweep)).toBe(isSwept)
})
