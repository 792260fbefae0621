import { expect, test } from 'vitest'
import { newId } from '../random.ts'
import { copyIds, isOnlyCopy, lastIdOfMail, mailIdOf } from './mail-copies.ts'
import { isUuid } from './uuid.ts'

const idsFor = (recipients: number) => copyIds(Array.from({ length: recipients }, () => newId(1_700_000_000_000)))

test('the messages of a mail have ids of their own, in order, and one name', () => {
  const mails = [2, 3, 100, 300, 1_023].flatMap((recipients) => Array.from({ length: 10 }, () => idsFor(recipients)))
  expect(new Set(mails.flat()).size).toBe(mails.flat().length)
  for (const ids of mails) {
    expect(ids.toSorted()).toEqual(ids)
    expect(ids.filter((id) => !isUuid(id) || isOnlyCopy(id))).toEqual([])
    expect(new Set(ids.map(mailIdOf)).size).toBe(1)
    const name = mailIdOf(ids[0]!)
    expect(mailIdOf(name)).toBe(name)
    for (const id of [name, ...ids]) expect(name < ids[0]! && ids.at(-1)! <= lastIdOfMail(id)).toBe(true)
  }
  expect(new Set(mails.flat().map(mailIdOf)).size).toBe(mails.length)
  // What one recipient sees does not show how many there are.
  const numbers = mails.filter(({ length }) => length === 3).map((ids) => ids[2]!.slice(-4))
  expect(new Set(numbers).size).toBeGreaterThan(5)
})

test('the only message of a mail has a name and a range of its own', () => {
  const [only] = idsFor(1)
  // As other workers and earlier versions make them.
  const others = [
    '0190b5a4-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
    '00000000-0000-4000-8000-000000000001',
    '00000000-0000-0000-0000-000000000002',
  ]
  for (const id of [only!, ...others]) expect([isOnlyCopy(id), mailIdOf(id)]).toEqual([true, id])
  for (const id of others) expect(lastIdOfMail(id)).toBe(id)
})

test('a mail for more recipients than there are numbers is an error', () => {
  expect(() => idsFor(1_024)).toThrow('at most 1023 recipients')
})
