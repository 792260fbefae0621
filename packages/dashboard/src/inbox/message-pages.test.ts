import type { MessageSummary } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { nextPageStart, without, withNew, type MessagePages } from './message-pages.ts'

// Only the fields that these functions use.
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

test('new messages go on top, newest first, without duplicates', () => {
  const pages = withNew(pagesOf('dc', 'ba'), [message('c'), message('e'), message('f')])
  expect(shown(pages)).toEqual(['fedc', 'ba'])
  expect(pages.pages[0]!.cursor).toBe('c-f')
  expect(withNew(pages, [message('f')])).toBe(pages)
})

test('deleted messages disappear from every page, and the next page starts after the last one left', () => {
  const pages = without(pagesOf('dc', 'ba'), new Set(['d', 'b', 'a']))
  expect(shown(pages)).toEqual(['c', ''])
  expect(nextPageStart(pages.pages)).toBe('c')
  expect(nextPageStart(pagesOf('').pages)).toBeUndefined()
  expect(nextPageStart([{ messages: [message('a')], hasMore: false, cursor: '' }])).toBeUndefined()
})
