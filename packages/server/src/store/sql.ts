export type SqlValue = string | number | null | Uint8Array

/** A statement with its values apart: the only way by which values reach a database. */
export type Sql = { text: readonly string[]; values: SqlValue[] }

/** `sql` pieces may stand inside one another; everything else becomes a bound value. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  // Without pieces inside, the text is the same array at every call, by which drivers know it again.
  if (!parts.some(isSql)) return { text: strings, values: parts as SqlValue[] }
  const text = [strings[0]!]
  const values: SqlValue[] = []
  parts.forEach((part, index) => {
    const following = strings[index + 1]!
    if (isSql(part)) {
      text.push(text.pop()! + part.text[0]!, ...part.text.slice(1))
      values.push(...part.values)
      text.push(text.pop()! + following)
    } else {
      values.push(part)
      text.push(following)
    }
  })
  return { text, values }
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
