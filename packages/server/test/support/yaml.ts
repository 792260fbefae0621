export type Yaml = string | null | Yaml[] | { [key: string]: Yaml }

type Line = { indent: number; text: string }

/**
 * Reads the subset of YAML that the recipes use: maps and lists in both forms, quotes, anchors with merging, and block
 * texts (`|`). Every scalar is a string. Throws on anything else.
 */
export function parseYaml(source: string): Yaml[] {
  return source.split(/^---$/m).map((document) => {
    const reader = { lines: linesOf(document), anchors: new Map<string, Yaml>() }
    const value = parseBlock(reader, 0)
    if (reader.lines.length > 0) throw new Error(`not understood: ${reader.lines[0]!.text}`)
    return value
  })
}

type Reader = { lines: Line[]; anchors: Map<string, Yaml> }

/** Without comments and empty lines. A list or map in brackets over several lines becomes one line. */
function linesOf(document: string): Line[] {
  const lines: Line[] = []
  let depth = 0
  for (const whole of document.split('\n')) {
    const text = withoutComment(whole).trimEnd()
    if (text.trim() === '') continue
    if (depth > 0) lines.at(-1)!.text += ` ${text.trim()}`
    else lines.push({ indent: text.length - text.trimStart().length, text: text.trim() })
    depth += bracketsIn(text)
  }
  return lines
}

function withoutQuoted(text: string): string {
  return text.replace(/'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"/g, (quoted) => '_'.repeat(quoted.length))
}

function withoutComment(line: string): string {
  const at = withoutQuoted(line).search(/(?:^|\s)#/)
  return at === -1 ? line : line.slice(0, at)
}

function bracketsIn(text: string): number {
  const plain = withoutQuoted(text).replace(/\$\{\{.*?\}\}|\$\{[^}]*\}/g, '')
  return (plain.match(/[[{]/g)?.length ?? 0) - (plain.match(/[\]}]/g)?.length ?? 0)
}

function parseBlock(reader: Reader, indent: number): Yaml {
  const [first] = reader.lines
  if (!first || first.indent < indent) return null
  if (/^[[{]/.test(first.text)) return parseInline(reader, reader.lines.shift()!.text)
  return first.text.startsWith('- ') ? parseList(reader, first.indent) : parseMap(reader, first.indent)
}

function parseList(reader: Reader, indent: number): Yaml[] {
  const items: Yaml[] = []
  while (reader.lines[0]?.indent === indent && reader.lines[0].text.startsWith('- ')) {
    const { text } = reader.lines.shift()!
    const rest = text.slice(2)
    if (/^[\w.-]+:(?: |$)/.test(rest)) {
      // A map starts on the line of its dash.
      reader.lines.unshift({ indent: indent + 2, text: rest })
      items.push(parseMap(reader, indent + 2))
    } else items.push(parseInline(reader, rest))
  }
  return items
}

function parseMap(reader: Reader, indent: number): { [key: string]: Yaml } {
  const map: { [key: string]: Yaml } = {}
  const merged: { [key: string]: Yaml } = {}
  while (reader.lines[0]?.indent === indent) {
    const { text } = reader.lines.shift()!
    const [, key, anchor, rest] = /^([\w./<-]+):(?: &([\w-]+))?(?: (.*))?$/.exec(text) ?? []
    if (key === undefined) throw new Error(`not understood: ${text}`)
    const value = parseValue(reader, indent, rest)
    if (anchor) reader.anchors.set(anchor, value)
    if (key === '<<') for (const part of [value].flat()) Object.assign(merged, part)
    else map[key] = value
  }
  return { ...merged, ...map }
}

function parseValue(reader: Reader, indent: number, rest: string | undefined): Yaml {
  if (rest === '|') {
    const texts: string[] = []
    while (reader.lines[0] && reader.lines[0].indent > indent) texts.push(reader.lines.shift()!.text)
    return texts.join('\n')
  }
  return rest === undefined || rest === '' ? parseBelow(reader, indent) : parseInline(reader, rest)
}

/** A list may be indented like the key that it belongs to. */
function parseBelow(reader: Reader, indent: number): Yaml {
  const next = reader.lines[0]
  if (next?.indent === indent && next.text.startsWith('- ')) return parseList(reader, indent)
  return parseBlock(reader, indent + 1)
}

function parseInline(reader: Reader, text: string): Yaml {
  const given = text.trim()
  if (given.startsWith('*')) {
    const value = reader.anchors.get(given.slice(1))
    if (value === undefined) throw new Error(`no anchor: ${given}`)
    return value
  }
  if (given.startsWith('[')) return partsOf(given).map((part) => parseInline(reader, part))
  if (given.startsWith('{')) {
    const pairs = partsOf(given).map((part) => /^([\w.-]+): ?(.*)$/s.exec(part)!)
    return Object.fromEntries(pairs.map(([, key, value]) => [key!, parseInline(reader, value!)]))
  }
  if (given.startsWith("'")) return given.slice(1, -1).replaceAll("''", "'")
  // The escapes are those of JSON.
  return given.startsWith('"') ? (JSON.parse(given) as string) : given
}

/** The items between the commas of one pair of brackets. */
function partsOf(given: string): string[] {
  const parts: string[] = []
  const plain = withoutQuoted(given)
  let start = 1
  let depth = 0
  for (let at = 1; at < given.length; at++) {
    const character = plain[at]!
    if (depth === 0 && (character === ',' || at === given.length - 1)) {
      parts.push(given.slice(start, at).trim())
      start = at + 1
    } else if (/[[{]/.test(character)) depth++
    else if (/[\]}]/.test(character)) depth--
  }
  return parts.filter((part) => part !== '')
}
