import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RetentionNotice } from './retention-notice.tsx'

test.each([
  [null, 'Forever. Mail is never deleted automatically.', false],
  [1, '1 day. Older mail is no longer shown.', true],
  [14, '14 days. Older mail is no longer shown.', true],
])('mail kept for %s days', (days, start, isSwept) => {
  const text = renderToStaticMarkup(createElement(RetentionNotice, { days })).replaceAll(/<[^>]+>/g, '')
  expect(text.startsWith(start)).toBe(true)
  const sweep =
    'The next sweep deletes it from disk. Sweeps run every minute, or at the interval that RETENTION_SWEEP_SECONDS sets.'
  expect(text.endsWith(sweep)).toBe(isSwept)
})
