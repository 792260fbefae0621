import { expect, test } from 'vitest'
import { assemble, joinSql, listOf, sql } from './sql.ts'

const NAME = sql`name = ${'ada'}`

test('nested pieces keep their values in order', () => {
  const query = sql`select ${1} from users where ${NAME} and age > ${30}`
  expect(assemble(query)).toEqual({ text: 'select ? from users where name = ? and age > ?', values: [1, 'ada', 30] })
  expect(assemble(query, (number) => `$${number}`).text).toBe('select $1 from users where name = $2 and age > $3')
})

test('a placeholder that gets a piece or a value has a text for each', () => {
  const where = (part: typeof NAME | string) => sql`where ${NAME} or ${part}`
  expect(assemble(where(NAME)).text).toBe('where name = ? or name = ?')
  expect(assemble(where('x')).text).toBe('where name = ? or ?')
})

test('the same statement with other values has the same text', () => {
  const query = (age: number, tags: string[]) =>
    assemble(sql`select 1 where ${NAME} and age = ${age} and tag in (${listOf(tags)})`)
  const [one, other] = [query(1, ['a', 'b']), query(2, ['c', 'd'])]
  expect(other.text).toEqual(one.text)
  expect(other.values).toEqual(['ada', 2, 'c', 'd'])
  expect(query(1, ['a']).text).not.toEqual(one.text)
})

test('many different statements are all correct', () => {
  for (let length = 1; length <= 300; length++) {
    const values = Array.from({ length }, (_, index) => index)
    const list = joinSql(
      values.map((value) => sql`${value}`),
      sql`,`,
    )
    const query = assemble(sql`${NAME} ${list}`)
    expect(query.text).toBe(`name = ? ${values.map(() => '?').join(',')}`)
    expect(query.values).toEqual(['ada', ...values])
  }
})
