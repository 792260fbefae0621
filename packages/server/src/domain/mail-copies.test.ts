import { expect, test } from 'vitest'
import { newId } from '../random.ts'
import { copyIds, isOnlyCopy, lastOfMail, mailOf } from './mail-copies.ts'
import { isUuid } from './uuid.ts'

test('the messages of one mail have neighbouring ids, and those of others have not', () => {
  const mails = Array.from({ length: 50 }, () => copyIds(newId(1_700_000_000_000), 300))
  expect(new Set(mails.flat()).size).toBe(50 * 300)
  expect(mails.flat().filter((id) => !isUuid(id))).toEqual([])
  for (const ids of mails) {
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids.map(mailOf)).size).toBe(1)
    expect(ids.some(isOnlyCopy)).toBe(false)
    expect(mailOf(ids[0]!) < ids[0]! && ids.at(-1)! < lastOfMail(ids[0]!)).toBe(true)
  }
  expect(new Set(mails.flat().map(mailOf)).size).toBe(50)
  const [only] = copyIds(newId(0), 1)
  expect([isUuid(only!), isOnlyCopy(only!), mailOf(only!)]).toEqual([true, true, only])
})
