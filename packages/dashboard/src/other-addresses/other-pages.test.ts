import { expect, test } from 'vitest'
import { withFirstPage, type OtherPage } from './other-pages.ts'

function page(ids: string, hasMore: boolean): OtherPage {
  // The function looks at ids only.
  return { messages: Array.from(ids, (id) => ({ id }) as OtherPage['messages'][number]), hasMore }
}

function idsAfter(known: OtherPage[], first: OtherPage): [ids: string, hasMore: boolean] {
  const { pages } = withFirstPage({ pages: known, pageParams: known.map(() => null) }, first)
  const all = pages.flatMap(({ messages }) => messages.map(({ id }) => id))
  return [all.join(''), pages.at(-1)!.hasMore]
}

test('new mail comes first, and loaded pages stay', () => {
  expect(idsAfter([page('edc', true), page('ba', false)], page('gfe', true))).toEqual(['gfedcba', false])
  expect(idsAfter([page('edc', true), page('b', true)], page('edc', true))).toEqual(['edcb', true])
})

test('after more new mail than fits on a page, the list starts again without a gap', () => {
  expect(idsAfter([page('cba', true)], page('ihg', true))).toEqual(['ihg', true])
})

test('mail that is gone disappears', () => {
  expect(idsAfter([page('edc', true), page('ba', false)], page('ea', false))).toEqual(['ea', false])
  expect(idsAfter([page('ba', false)], page('', false))).toEqual(['', false])
})
