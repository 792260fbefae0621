export type SqlValue = string | number | null | Uint8Array

/** A statement, or a piece of one, with separate values. Values reach a database only this way. */
export type Sql = { strings: readonly string[]; parts: readonly (Sql | SqlValue)[] }

/** `sql` pieces can be nested. Everything else becomes a bound value. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  return { strings, parts }
}

/** SQL without values that no template can contain, such as a name. The text must not come from outside. */
export function fixedSql(text: string): Sql {
  return { strings: [text], parts: [] }
}

export function joinSql(pieces: Sql[], separator: Sql): Sql {
  const parts = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]))
  return { strings: Array.from({ length: parts.length + 1 }, () => ''), parts }
}

export function listOf(values: SqlValue[]): Sql {
  return joinSql(
    values.map((value) => sql`${value}`),
    sql`, `,
  )
}

export function isSql(part: Sql | SqlValue): part is Sql {
  return part !== null && typeof part === 'object' && 'parts' in part
}

/** The whole text, and its values in their order. `placeholderOf` is given the number of a value, from 1. */
export function assemble(
  whole: Sql,
  placeholderOf: (number: number) => string = () => '?',
): { text: string; values: SqlValue[] } {
  const values: SqlValue[] = []

  function textOf({ strings, parts }: Sql): string {
    let text = strings[0]!
    parts.forEach((part, index) => {
      text += isSql(part) ? textOf(part) : placeholderOf(values.push(part))
      text += strings[index + 1]!
    })
    return text
  }

  return { text: textOf(whole), values }
}
