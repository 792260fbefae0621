import { expect, test } from 'vitest'
import { joinSql, listOf, sql } from './sql.ts'

const NAME = sql`name = ${'ada'}`

test('nested pieces keep their values in order', () => {
  const query = sql`select ${1} from users where ${NAME} and age > ${30}`
  expect(query).toEqual({ text: ['select ', ' from users where name = ', ' and age > ', ''], values: [1, 'ada', 30] })
})

test('a placeholder that gets a piece or a value has a text for each', () => {
  const where = (part: typeof NAME | string) => sql`where ${NAME} or ${part}`
  expect(where(NAME).text.join('?')).toBe('where name = ? or name = ?')
  expect(where('x').text.join('?')).toBe('where name = ? or ?')
  expect(where(NAME).text.join('?')).toBe('where name = ? or name = ?')
})

test('the same statement with other values has the same text', () => {
  const query = (age: number, tags: string[]) =>
    sql`select 1 where ${NAME} and age = ${age} and tag in (${listOf(tags)})`
  const [one, other] = [query(1, ['a', 'b']), query(2, ['c', 'd'])]
  expect(other.text).toEqual(one.text)
  expect(other.values).toEqual(['ada', 2, 'c', 'd'])
  expect(query(1, ['a']).text).not.toEqual(one.text)
})

test('many different statements are all correct', () => {
  for (let length = 1; length <= 300; length++) {
    const values = Array.from({ length }, (_, index) => index)
    const query = sql`${NAME} ${joinSql(
      values.map((value) => sql`${value}`),
      sql`,`,
    )}`
    expect(query.text.join('?')).toBe(`name = ? ${values.map(() => '?').join(',')}`)
    expect(query.values).toEqual(['ada', ...values])
  }
})
