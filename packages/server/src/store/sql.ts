export type SqlValue = string | number | null | Uint8Array

/** A statement with separate values. Values reach a database only this way. */
export type Sql = { text: readonly string[]; values: SqlValue[] }

/** `sql` fragments can be nested. Everything else becomes a bound value. */
export function sql(strings: TemplateStringsArray, ...parts: (Sql | SqlValue)[]): Sql {
  if (!parts.some(isSql)) return { text: strings, values: parts as SqlValue[] }
  let node = follow(roots, strings)
  const values: SqlValue[] = []
  for (const part of parts) {
    if (isSql(part)) {
      node = follow(node.pieces, part.text)
      values.push(...part.values)
    } else {
      node = node.value ??= newNode()
      values.push(part)
    }
  }
  node.text ??= compose(strings, parts)
  return { text: node.text, values }
}

/**
 * A node of the cache of texts, found by the fragments that a text consists of: the same template with the same fragments
 * yields the same array on every call. Drivers recognise a statement by it, which is cheaper than building and comparing
 * the text.
 */
type CachedText = { text: readonly string[] | null; value: CachedText | null; pieces: CachedTexts }
type CachedTexts = WeakMap<readonly string[], CachedText>

/** Filters have few combinations, so a busy server needs a fraction of these. Limits the memory a client can use. */
const NODES_MAX = 20_000

let roots: CachedTexts = new WeakMap()
let nodeCount = 0

function newNode(): CachedText {
  if (++nodeCount > NODES_MAX) {
    roots = new WeakMap()
    nodeCount = 0
  }
  return { text: null, value: null, pieces: new WeakMap() }
}

function follow(nodes: CachedTexts, text: readonly string[]): CachedText {
  const known = nodes.get(text)
  if (known) return known
  const node = newNode()
  nodes.set(text, node)
  return node
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
