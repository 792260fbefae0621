import type { MessageSummary } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { nextPageStart, without, withNew, type MessagePages } from './message-pages.ts'

// Only what these functions look at.
const message = (id: string) => ({ id, cursor: `c-${id}` }) as MessageSummary
const pagesOf = (...pages: string[]): MessagePages => ({
  pages: pages.map((ids, index) => ({
    messages: Array.from(ids, message),
    hasMore: index === pages.length - 1,
    cursor: 'c0',
  })),
  pageParams: pages.map(() => ''),
})
const shown = ({ pages }: MessagePages) => pages.map(({ messages }) => messages.map(({ id }) => id).join(''))

test('new messages are on top, the last to come first, each once', () => {
  const pages = withNew(pagesOf('dc', 'ba'), [message('c'), message('e'), message('f')])
  expect(shown(pages)).toEqual(['fedc', 'ba'])
  expect(pages.pages[0]!.cursor).toBe('c-f')
  expect(withNew(pages, [message('f')])).toBe(pages)
})

test('what is deleted is gone from every page, and the next page still follows the last that is there', () => {
  const pages = without(pagesOf('dc', 'ba'), new Set(['d', 'b', 'a']))
  expect(shown(pages)).toEqual(['c', ''])
  expect(nextPageStart(pages.pages)).toBe('c')
  expect(nextPageStart(pagesOf('').pages)).toBeUndefined()
  expect(nextPageStart([{ messages: [message('a')], hasMore: false, cursor: '' }])).toBeUndefined()
})
