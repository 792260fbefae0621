import type { Sql, SqlValue } from '../../src/store/sql.ts'
import { TEAM_TABLES } from '../../src/store/team-tables.ts'

/**
 * Why a statement on the tables of teams is not bound to one team; null if it is. Each table of a team must be compared with
 * one and the same team in its own query, directly or through another table of that query or of one around it.
 */
export function whyUnbound(statement: Sql): string | null {
  const { teams, problem } = examine(statement)
  if (problem) return problem
  return teams.size > 1 ? `It names ${teams.size} teams.` : null
}

/** The teams that a statement names for tables of teams. */
export function teamsOf(statement: Sql): SqlValue[] {
  return Array.from(examine(statement).teams)
}

function examine({ text, values }: Sql): { teams: Set<SqlValue>; problem: string | null } {
  const numbered = text.reduce((before, piece, index) => `${before}?${index}${piece}`)
  const teams = new Set<SqlValue>()
  const problem = problemIn(queriesOf(numbered.toLowerCase()), (parameter) => teams.add(values[parameter - 1]!))
  return { teams, problem }
}

type Query = { text: string; inner: Query[] }

/** The statement without what is in brackets, and the same of each pair of brackets. */
function queriesOf(statement: string): Query {
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

type Named = { table: string; alias: string; isInserted: boolean }

function problemIn(query: Query, onTeam: (parameter: number) => void, outer: string[] = []): string | null {
  // Of a `union`, each query has its own tables.
  for (const text of query.text.split(/\bunion(?: all)?\b/)) {
    const problem = problemOf(text, query.inner, onTeam, outer)
    if (problem) return problem
  }
  return null
}

function problemOf(text: string, inner: Query[], onTeam: (parameter: number) => void, outer: string[]): string | null {
  // A query in brackets that is used as a table is checked on its own.
  const bound = [
    ...outer,
    ...[...text.matchAll(/\b(?:from|join)\s+\(\d+\)\s+(?:as\s+)?(\w+)/g)].map(([, alias]) => alias!),
  ]
  const named = tablesIn(text)
  const isBound = ({ alias, isInserted }: Named) => {
    if (isInserted) return isInsertBound(text, inner, bound, onTeam)
    const own = named.filter((other) => !other.isInserted).length === 1 ? `(?:${alias}\\.)?` : `${alias}\\.`
    const compared = [
      ...text.matchAll(new RegExp(`(?<![\\w.])${own}team_id = (?:\\?(\\d+)|(\\w+)\\.team_id|(\\w+)\\.id\\b)`, 'g')),
    ]
    const reversed = [...text.matchAll(new RegExp(`(?<![\\w.])(\\w+)\\.team_id = ${alias}\\.team_id`, 'g'))]
    for (const [, parameter] of compared) if (parameter !== undefined) onTeam(Number(parameter))
    return (
      compared.some(([, parameter, other]) => parameter !== undefined || bound.includes(other!)) ||
      reversed.some(([, other]) => bound.includes(other!))
    )
  }
  let left = named
  // Each round binds tables through those of the round before.
  for (;;) {
    const found = left.filter(isBound)
    if (found.length === 0) break
    bound.push(...found.map(({ alias }) => alias))
    left = left.filter((table) => !found.includes(table))
  }
  if (left.length > 0) return `${left.map(({ table }) => table).join(', ')} without a team in: ${text.trim()}`
  const mentioned = [...text.matchAll(/\((\d+)\)/g)].map(([, index]) => inner[Number(index)]!)
  for (const query of mentioned) {
    const problem = problemIn(query, onTeam, bound)
    if (problem) return problem
  }
  return null
}

const KEYWORDS = new Set('as cross from inner join left limit on order set where group'.split(' '))

function tablesIn(text: string): Named[] {
  return [...text.matchAll(/\b(from|join|into|update)\s+([a-z_]+)(?:\s+as)?(?:\s+([a-z]+))?/g)].flatMap(
    ([, keyword, table, following]) => {
      if (!TEAM_TABLES.includes(table!)) return []
      const alias = following && !KEYWORDS.has(following) ? following : table!
      return [{ table: table!, alias, isInserted: keyword === 'into' }]
    },
  )
}

/** The team comes first in the list of columns and in that of the values. */
function isInsertBound(text: string, inner: Query[], bound: string[], onTeam: (parameter: number) => void): boolean {
  const parts = /into\s+[a-z_]+\s+\((\d+)\)\s*(?:values\s*\((\d+)\)|select\s+(?:distinct\s+)?([^,]+),)/.exec(text)
  if (!parts || !inner[Number(parts[1])]!.text.trim().startsWith('team_id')) return false
  const first = (parts[3] ?? inner[Number(parts[2])]!.text.split(',')[0]!).trim()
  const parameter = /^\?(\d+)$/.exec(first)
  if (parameter) {
    onTeam(Number(parameter[1]))
    return true
  }
  // From a table of a team, which must be bound itself.
  const [, alias] = /^(?:(\w+)\.)?team_id$/.exec(first) ?? []
  return (
    /^(?:\w+\.)?team_id$/.test(first) && (alias === undefined || bound.includes(alias) || tablesIn(text).length > 1)
  )
}
