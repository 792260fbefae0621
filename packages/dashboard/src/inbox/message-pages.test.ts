import { expect, test } from 'vitest'
import { nextPageStart, withMarks, without, withNew, type ListedMessage, type MessagePages } from './message-pages.ts'

// Only the fields that these functions use.
const message = (id: string) => ({ id, cursor: `c-${id}`, isRead: false }) as ListedMessage
const pagesOf = (...pages: string[]): MessagePages => ({
  pages: pages.map((ids, index) => ({
    messages: Array.from(ids, message),
    hasMore: index === pages.length - 1,
    cursor: 'c0',
    marks: '0.0',
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
  expect(nextPageStart([{ messages: [message('a')], hasMore: false, cursor: '', marks: '' }])).toBeUndefined()
})

test('marks change the messages that they name; the others stay the same objects', () => {
  const pages = pagesOf('dc', 'ba')
  const marked = withMarks(pages, { readThrough: null, changed: [{ id: 'c', isRead: true }] })
  const read = ({ pages: all }: MessagePages) =>
    all.flatMap(({ messages }) => messages.filter(({ isRead }) => isRead).map(({ id }) => id)).join('')
  expect(read(marked)).toBe('c')
  expect(marked.pages[0]!.messages[0]).toBe(pages.pages[0]!.messages[0])
  expect(read(withMarks(marked, { readThrough: null, changed: [{ id: 'c', isRead: false }] }))).toBe('')
})

test('messages up to a cursor are read, except those that were marked later; cursors compare as numbers', () => {
  const at = (cursor: string): ListedMessage => ({ ...message(cursor), cursor })
  const messages = ['c100', 'cz', 'ca', 'c9', 'c1'].map(at)
  const pages = { pages: [{ messages, hasMore: false, cursor: 'c100', marks: '' }], pageParams: [''] }
  const marked = withMarks(pages, { readThrough: 'ca', changed: [{ id: 'c1', isRead: false }] })
  const read = marked.pages[0]!.messages.filter(({ isRead }) => isRead).map(({ cursor }) => cursor)
  expect(read).toEqual(['ca', 'c9'])
})
