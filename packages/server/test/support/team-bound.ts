import { assemble, type Sql, type SqlValue } from '../../src/store/sql.ts'
import { TEAM_TABLES } from '../../src/store/team-tables.ts'
import { clausesOf, conditionsIn, innerOf, queryOf, tablesIn, type Clause, type Query } from './sql-queries.ts'

/**
 * Why a statement on the tables of teams is not bound to one team; null if it is. Each table of a team must be compared with
 * one and the same team in its own query, directly or through another table of that query or of one around it. A statement
 * that this parser does not understand counts as not bound.
 */
export function whyUnbound(statement: Sql): string | null {
  const { teams, problem } = examineStatement(statement)
  if (problem) return problem
  return teams.size > 1 ? `It names ${teams.size} teams.` : null
}

/** The teams that a statement names for tables of teams. */
export function teamsOf(statement: Sql): SqlValue[] {
  return Array.from(examineStatement(statement).teams)
}

function examineStatement(statement: Sql): { teams: Set<SqlValue>; problem: string | null } {
  const { text, values } = assemble(statement, (number) => `?${number}`)
  const { parameters, problem } = examineText(text)
  return { teams: new Set(parameters.map((parameter) => values[parameter - 1]!)), problem }
}

type ExaminedText = { parameters: number[]; problem: string | null }

/** Programs run few statements, but each of them often. */
const known = new Map<string, ExaminedText>()

function examineText(text: string): ExaminedText {
  const parameters: number[] = []
  const examined = known.get(text) ?? {
    parameters,
    problem: examine(queryOf(text), [], (parameter) => parameters.push(parameter)).problem,
  }
  known.set(text, examined)
  return examined
}

/** Called with each parameter that is a team. */
type OnTeam = (parameter: number) => void

/** `hasTeam`: its column `team_id` is that of a table of the team. */
type Examined = { problem: string | null; hasTeam: boolean }

/** `outer` are the bound tables of the queries around this one. */
function examine(query: Query, outer: string[], onTeam: OnTeam): Examined {
  // Each of them has its own tables.
  const texts = query.text.split(/\b(?:union(?: all)?|except|intersect)\b/)
  if (texts.length > 1 && query.text.includes('insert into')) return unbound('insert of a union', query.text)
  const examined = texts.map((text) => examineOne(text, query, outer, onTeam))
  return {
    problem: examined.find(({ problem }) => problem)?.problem ?? null,
    hasTeam: examined.every(({ hasTeam }) => hasTeam),
  }
}

function examineOne(text: string, query: Query, outer: string[], onTeam: OnTeam): Examined {
  const clauses = clausesOf(text)
  const tables = tablesIn(clauses, query)
  const ofTeams = tables.filter(({ name }) => TEAM_TABLES.includes(name))
  if (mentions(text) > ofTeams.length) return unbound('a table in a place that is not understood', text)
  if (ofTeams.length > 0 && NOT_UNDERSTOOD.test(text)) return unbound('words that are not understood', text)

  const read = tables.filter(({ keyword }) => keyword !== 'insert into')
  const own = read.map(({ alias }) => alias)
  const ownOfTeams = read.filter(({ name }) => TEAM_TABLES.includes(name)).map(({ alias }) => alias)
  const bound = outer.filter((alias) => !own.includes(alias))
  const derived = read.filter((table) => table.query !== null)
  for (const table of derived) {
    const { problem, hasTeam } = examine(table.query!, outer, onTeam)
    if (problem) return { problem, hasTeam: false }
    if (hasTeam) bound.push(table.alias)
  }

  // Without the name of its table, a column `team_id` is that of the only table that has one.
  const only = ownOfTeams.length === 1 ? ownOfTeams[0] : own.length === 1 ? own[0] : undefined
  const comparisons = comparisonsIn(clauses, query, only)
  bindThrough(comparisons, own, bound)
  if (ofTeams.length > 0) for (const { parameter } of comparisons) if (parameter !== null) onTeam(parameter)
  if (ownOfTeams.some((alias) => !bound.includes(alias))) return unbound('a table without a team', text)

  const isTeam = (column: string) => {
    const [isColumn, alias = only] = /^(?:(\w+)\.)?team_id$/.exec(column) ?? []
    return isColumn !== undefined && own.includes(alias!) && bound.includes(alias!)
  }
  const isInsert = ofTeams.length > ownOfTeams.length
  if (isInsert && !isInsertBound(clauses, query, isTeam, onTeam)) return unbound('an insert without a team', text)
  for (const inner of innerOf(text, query)) {
    if (derived.some((table) => table.query === inner)) continue
    const { problem } = examine(inner, bound, onTeam)
    if (problem) return { problem, hasTeam: false }
  }
  // What comes only from tables that teams share is not counted as a team.
  const isOfTeam = ownOfTeams.length > 0 || derived.some(({ alias }) => bound.includes(alias))
  return { problem: null, hasTeam: isOfTeam && selected(clauses).some(isTeam) }
}

/** Adds to the bound tables those that are compared with a parameter or with a bound one. */
function bindThrough(comparisons: Comparison[], own: string[], bound: string[]): void {
  const bind = (alias: string, joined: string | null) => {
    const isMeant = own.includes(alias) && (joined === null || joined === alias)
    if (isMeant && !bound.includes(alias)) bound.push(alias)
  }
  // Each round binds tables through those of the round before.
  for (let before = -1; before < bound.length;) {
    before = bound.length
    for (const { left, parameter, right, joined } of comparisons) {
      if (parameter !== null || bound.includes(right)) bind(left, joined)
      else if (bound.includes(left)) bind(right, joined)
    }
  }
}

function unbound(why: string, text: string): Examined {
  return { problem: `${why} in: ${text.trim()}`, hasTeam: false }
}

/** No statement needs these. They join tables, or hide text, in ways that `clausesOf` does not see. */
const NOT_UNDERSTOOD = /\b(?:right|full|outer|inner|natural|using|lateral)\b|--|\/\*|;/

const MENTIONED = new RegExp(`(?<!\\bas )\\b(?:${TEAM_TABLES.join('|')})\\b(?!\\.)`, 'g')

/** How often the text has the name of a team's table, except before a column or as the name of a result. */
function mentions(text: string): number {
  return Array.from(text.matchAll(MENTIONED)).length
}

type Comparison = { left: string; parameter: number | null; right: string; joined: string | null }

/** Of columns `team_id`, with a parameter or with each other. `joined` is the only table about which the comparison says something. */
function comparisonsIn(clauses: Clause[], query: Query, only: string | undefined): Comparison[] {
  return conditionsIn(clauses, query).flatMap(({ parts, only: joined }) =>
    parts.flatMap((part) => {
      const found = /^\+?(?:(\w+)\.)?team_id = (?:\?(\d+)|(\w+)\.team_id)$/.exec(part.trim())
      const left = found?.[1] ?? only
      if (!found || left === undefined) return []
      return [{ left, parameter: found[2] ? Number(found[2]) : null, right: found[3] ?? '', joined }]
    }),
  )
}

/** The columns of the first `select`. */
function selected(clauses: Clause[]): string[] {
  const { body = '' } = clauses.find(({ keyword }) => keyword === 'select') ?? {}
  return body
    .replace(/^(?:distinct|all) /, '')
    .split(',')
    .map((column) => column.trim())
}

/** The team comes first in the list of columns and in each list of values. */
function isInsertBound(clauses: Clause[], query: Query, isTeam: (column: string) => boolean, onTeam: OnTeam): boolean {
  const bodyOf = (wanted: string) => clauses.find(({ keyword }) => keyword === wanted)?.body ?? ''
  const firstOf = ({ text }: Query) => text.split(',')[0]!.trim()
  const [columns] = innerOf(bodyOf('insert into'), query)
  if (!columns || firstOf(columns) !== 'team_id') return false
  const rows = innerOf(bodyOf('values'), query).map(firstOf)
  const first = rows.length > 0 ? rows : selected(clauses).slice(0, 1)
  return first.every((value) => {
    const [, parameter] = /^\?(\d+)$/.exec(value) ?? []
    if (parameter) onTeam(Number(parameter))
    return parameter !== undefined || isTeam(value)
  })
}
