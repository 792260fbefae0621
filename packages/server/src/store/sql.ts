export type SqlValue = string | number | null | Uint8Array

/** A statement with its values apart: the only way by which values reach a database. */
export type Sql = { text: readonly string[]; values: SqlValue[] }

/** `sql` pieces may stand inside one another; everything else becomes a bound value. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  if (!parts.some(isSql)) return { text: strings, values: parts as SqlValue[] }
  let place = follow(roots, strings)
  const values: SqlValue[] = []
  for (const part of parts) {
    if (isSql(part)) {
      place = follow(place.pieces, part.text)
      values.push(...part.values)
    } else {
      place = place.value ??= newPlace()
      values.push(part)
    }
  }
  place.text ??= compose(strings, parts)
  return { text: place.text, values }
}

/**
 * Where a text is kept, found by way of what it is made of: the same template with the same pieces is the same array
 * at every call. By it drivers know a statement again, which costs less than to put the text together and compare it.
 */
type Place = { text: readonly string[] | null; value: Place | null; pieces: Places }
type Places = WeakMap<readonly string[], Place>

/** Filters come in few combinations, so a busy server needs a fraction of these; it bounds an inventive client. */
const PLACES_MAX = 20_000

let roots: Places = new WeakMap()
let placeCount = 0

function newPlace(): Place {
  if (++placeCount > PLACES_MAX) {
    roots = new WeakMap()
    placeCount = 0
  }
  return { text: null, value: null, pieces: new WeakMap() }
}

function follow(places: Places, text: readonly string[]): Place {
  const known = places.get(text)
  if (known) return known
  const place = newPlace()
  places.set(text, place)
  return place
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
