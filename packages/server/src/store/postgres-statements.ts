import type { QueryConfig } from 'pg'
import { assemble, type Sql, type SqlValue } from './sql.ts'

/**
 * Statement texts differ only by the given filters, so a busy server has few. Each prepared statement costs memory on
 * every connection, so unusual ones beyond this number are not prepared.
 */
const PREPARED_MAX = 200

const names = new Map<string, string>()

/** A statement in the form that `pg` sends. */
export function toQuery(statement: Sql): QueryConfig<unknown[]> {
  const { text, values } = assemble(statement, (number) => `$${number}`)
  return { text, values: values.map(toParameter) }
}

/** The same, prepared if it is common. Only for a connection that stays the same. */
export function toNamedQuery(statement: Sql): QueryConfig<unknown[]> {
  const query = toQuery(statement)
  return { ...query, name: nameOf(query.text) }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= PREPARED_MAX) return known
  const name = `mailhatch_${names.size}`
  names.set(text, name)
  return name
}

/** PostgreSQL text cannot contain NUL. Neither can stored values, so a search for NUL becomes one without a match. */
function toParameter(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uffff') : value
}
