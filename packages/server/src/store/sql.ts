export type SqlValue = string | number | null | Uint8Array

/** A statement with separate values. Values reach a database only this way. */
export type Sql = { text: readonly string[]; values: SqlValue[] }

/** `sql` fragments can be nested. Everything else becomes a bound value. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  if (!parts.some(isSql)) return { text: strings, values: parts as SqlValue[] }
  const values: SqlValue[] = []
  for (const part of parts) {
    if (isSql(part)) values.push(...part.values)
    else values.push(part)
  }
  return { text: compose(strings, parts), values }
}

function compose(strings: TemplateStringsArray, parts: (Sql | SqlValue)[]): string[] {
  const text = [strings[0]!]
  parts.forEach((part, index) => {
    const following = strings[index + 1]!
    if (isSql(part)) {
      text.push(text.pop()! + part.text[0]!, ...part.text.slice(1))
      text.push(text.pop()! + following)
    } else {
      text.push(following)
    }
  })
  return text
}

export function joinSql(pieces: Sql[], separator: Sql): Sql {
  return pieces.reduce((all, piece) => sql`${all}${separator}${piece}`)
}

export function listOf(values: SqlValue[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    sql`, `,
  )
}

function isSql(part: Sql | SqlValue): part is Sql {
  return part !== null && typeof part === 'object' && 'text' in part
}
