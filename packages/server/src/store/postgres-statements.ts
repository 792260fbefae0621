import type { QueryConfig } from 'pg'
import type { Sql, SqlValue } from './sql.ts'

/**
 * Statement texts differ only by the filters given, so a busy server meets few. Each costs memory on every connection,
 * so those of an inventive client are not prepared once there are this many.
 */
const PREPARED_MAX = 200

const joinedTexts = new WeakMap<readonly string[], string>()
const names = new Map<string, string>()

/** A statement as `pg` sends it. */
export function toQuery({ text, values }: Sql): QueryConfig<unknown[]> {
  return { text: joined(text), values: values.map(toParameter) }
}

/** The same, prepared where it is met often: only for a connection that stays the same. */
export function toNamedQuery(statement: Sql): QueryConfig<unknown[]> {
  const query = toQuery(statement)
  return { ...query, name: nameOf(query.text) }
}

/** Most texts are the same array each time: see `sql`. */
function joined(text: readonly string[]): string {
  const known = joinedTexts.get(text)
  if (known !== undefined) return known
  const whole = text.reduce((before, piece, index) => `${before}$${index}${piece}`)
  joinedTexts.set(text, whole)
  return whole
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= PREPARED_MAX) return known
  const name = `mailhatch_${names.size}`
  names.set(text, name)
  return name
}

/** PostgreSQL has no NUL in text. Nothing stored has one either, so what is looked for becomes what is nowhere. */
function toParameter(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uffff') : value
}
