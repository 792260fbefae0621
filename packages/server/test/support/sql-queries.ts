/** A statement without what is in brackets, or the content of a pair of brackets. `(0)` in the text stands for the first of `inner`. */
export type Query = { text: string; inner: Query[] }

/** A part of a query between two keywords. */
export type Clause = { keyword: string; body: string }

/** A table that a query names, or a query in brackets that it uses as one. */
export type NamedTable = { name: string; query: Query | null; alias: string; keyword: string }

/** A condition, as its parts that are all true. One of a `left join` says something only about the table that is joined. */
export type Condition = { parts: string[]; only: string | null }

/** In lower case, with one space between words, without literals and quotes. `?1` in the text is the first parameter. */
export function queryOf(text: string): Query {
  const plain = text.toLowerCase().replaceAll(/'[^']*'/g, "''")
  return inBrackets(plain.replaceAll('"', '').replaceAll(/\s+/g, ' ').trim())
}

function inBrackets(statement: string): Query {
  const outermost: Query = { text: '', inner: [] }
  const open = [outermost]
  for (const character of statement) {
    const current = open.at(-1)!
    if (character === '(') {
      const query = { text: '', inner: [] }
      current.inner.push(query)
      open.push(query)
    } else if (character === ')') {
      open.pop()
      open.at(-1)!.text += `(${open.at(-1)!.inner.length - 1})`
    } else {
      current.text += character
    }
  }
  return outermost
}

/** The queries that `query` names in this part of its text. */
export function innerOf(text: string, { inner }: Query): Query[] {
  return Array.from(text.matchAll(/\((\d+)\)/g), ([, index]) => inner[Number(index)]!)
}

const KEYWORDS =
  'insert into|update|delete from|select|from|left join|cross join|join|on conflict|on|where|set|values|group by|having|order by|limit|returning|for'

/** `is distinct from` compares, and names no table. */
const KEYWORD = new RegExp(`(?<!\\bdistinct )\\b(${KEYWORDS})\\b`)

export function clausesOf(text: string): Clause[] {
  const [, ...pieces] = text.split(KEYWORD)
  return Array.from({ length: pieces.length / 2 }, (_, index) => ({
    keyword: pieces[2 * index]!,
    body: pieces[2 * index + 1]!.trim(),
  }))
}

const NAMING = new Set(['insert into', 'update', 'delete from', 'from', 'left join', 'cross join', 'join'])

export function tablesIn(clauses: Clause[], { inner }: Query): NamedTable[] {
  return clauses.flatMap(({ keyword, body }) => {
    const [, name, index, alias] = /^(?:(\w+)(?: ?\(\d+\))?|\((\d+)\))(?: as)?(?: (\w+))?/.exec(body) ?? []
    if (!NAMING.has(keyword) || (!name && !index)) return []
    const query = index ? inner[Number(index)]! : null
    return [{ name: name ?? '', query, alias: alias ?? name ?? '', keyword }]
  })
}

/** With these, an `and` does not join parts that are all true. */
const NOT_ALL_TRUE = /\b(?:or|between|case)\b/

/** An innermost one. */
const CASE = /\bcase\b(?:(?!\bcase\b).)*?\bend\b/

/** What is true for every row that the query reads or changes. */
export function conditionsIn(clauses: Clause[], query: Query): Condition[] {
  const conflict = clauses.findIndex(({ keyword }) => keyword === 'on conflict')
  return clauses.slice(0, conflict < 0 ? undefined : conflict).flatMap(({ keyword, body }, index) => {
    let condition = body
    while (CASE.test(condition)) condition = condition.replace(CASE, "''")
    if ((keyword !== 'where' && keyword !== 'on') || NOT_ALL_TRUE.test(condition)) return []
    const [joined] = tablesIn(clauses.slice(Math.max(index - 1, 0), index), query)
    const only = keyword === 'on' && joined?.keyword === 'left join' ? joined.alias : null
    return [{ parts: condition.split(' and '), only }]
  })
}
