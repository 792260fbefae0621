import { expect, onTestFinished, test } from 'vitest'
import { NOTHING_ON_ITS_WAY, type TransitQuestion } from '../domain/transit.ts'
import { watchTransit } from './transit-watch.ts'

function questionAbout(mailbox: string): TransitQuestion {
  return { id: `about ${mailbox}`, domain: 'mailhatch.test', mailbox, tags: null }
}

test('a question is answered once more when its mail is no longer on its way', async () => {
  const open = new Map([
    ['busy', 2],
    ['longer', 1],
  ])
  const emptied = Promise.withResolvers<string[]>()
  const watch = watchTransit(
    ({ mailbox }) => ({
      ...NOTHING_ON_ITS_WAY,
      transactions: open.get(mailbox) ?? 0,
      setAside: 0,
      isComplete: true,
    }),
    (answers) => emptied.resolve(answers.map(({ id, transactions }) => `${id}: ${transactions}`)),
  )
  onTestFinished(() => watch.close())
  expect(watch.answer(questionAbout('busy'))).toMatchObject({ id: 'about busy', transactions: 2 })
  expect(watch.answer(questionAbout('longer'))).toMatchObject({ transactions: 1 })
  // It has its answer already.
  expect(watch.answer(questionAbout('quiet'))).toMatchObject({ transactions: 0 })
  open.delete('busy')
  expect(await emptied.promise).toEqual(['about busy: 0'])
})
