import { joinContinuations } from './parameter-continuations.ts'

/** A structured header such as `text/plain; charset=utf-8`. Value and parameter names are lower-case. */
export type HeaderValue = { value: string; parameters: ReadonlyMap<string, string> }

// A quoted string, or the rest of the text without a closing quote. Nothing can fail after a long match, so there is no
// backtracking.
const QUOTED = /(?:[^"\\]|\\[^])*/y

const NO_PARAMETERS: ReadonlyMap<string, string> = new Map()

// A type followed by its parameters without a semicolon.
const NO_SEMICOLON = /^[^\s;,=]+[\s,]+(?=[\w*-]+\s*=)/

// Parameters that matter for parsing. They are recognised even without a semicolon before them.
const NEXT_PARAMETER = /[\s,](?=(?:boundary|charset)\s*=)/i

export function parseHeaderValue(header: string): HeaderValue {
  const text = withoutComments(header)
  const missing = NO_SEMICOLON.exec(text)?.[0].length
  // Treats the last blank as the semicolon.
  const end = missing === undefined ? text.indexOf(';') : missing - 1
  if (end < 0) return { value: text.trim().toLowerCase(), parameters: NO_PARAMETERS }
  return { value: text.slice(0, end).replace(/,\s*$/, '').trim().toLowerCase(), parameters: readParameters(text, end) }
}

/** Each parameter starts with a semicolon. Other text before the next one is ignored. */
function readParameters(text: string, firstSemicolon: number): Map<string, string> {
  const parameters = new Map<string, string>()
  const semicolonFrom = finderOf(text, ';')
  const equalsFrom = finderOf(text, '=')
  let semicolon = firstSemicolon
  while (semicolon >= 0) {
    const nameStart = semicolon + 1
    const equals = equalsFrom(nameStart)
    if (equals < 0) break
    semicolon = semicolonFrom(nameStart)
    if (semicolon >= 0 && semicolon < equals) continue
    const name = text.slice(nameStart, equals).trim().toLowerCase()
    if (/\s/.test(name)) continue

    let value = text.slice(equals + 1, semicolon < 0 ? text.length : semicolon).trim()
    if (value.startsWith('"')) {
      QUOTED.lastIndex = text.indexOf('"', equals) + 1
      const quoted = QUOTED.exec(text)![0]
      value = name === 'boundary' ? quoted.replace(/\\([^])/g, '$1') : unescape(quoted)
      semicolon = nextSeparator(text, QUOTED.lastIndex, semicolonFrom)
    } else if (NEXT_PARAMETER.test(value)) {
      semicolon = nextSeparator(text, equals + 1, semicolonFrom)
      value = text.slice(equals + 1, semicolon).trim()
    }
    // The first one counts, so that a repeated `boundary` cannot show other content here than in other programs.
    if (name !== '' && !parameters.has(name)) parameters.set(name, value)
  }
  if (text.includes('*', firstSemicolon)) joinContinuations(parameters)
  return parameters
}

/** Finds the next sign from a position on. Positions never decrease, so that many searches read the text once. */
function finderOf(text: string, sign: string): (from: number) => number {
  let found = text.indexOf(sign)
  return (from) => {
    if (found >= 0 && found < from) found = text.indexOf(sign, from)
    return found
  }
}

/** The next semicolon, or a blank that replaces it. */
function nextSeparator(text: string, start: number, semicolonFrom: (from: number) => number): number {
  const semicolon = semicolonFrom(start)
  const missing = text.slice(start, semicolon < 0 ? text.length : semicolon).search(NEXT_PARAMETER)
  return missing < 0 ? semicolon : start + missing
}

// Quoted Windows paths are more common than escaped letters, so a backslash before a letter stays.
function unescape(quoted: string): string {
  return quoted.includes('\\') ? quoted.replace(/\\(["\\])/g, '$1') : quoted
}

/** Removes RFC 5322 comments. `Invoice(1).pdf` has none: a comment starts the text or follows white space. */
export function withoutComments(text: string): string {
  if (!text.includes('(')) return text
  let result = ''
  let keptFrom = 0
  let depth = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === '\\') index++
    else if (character === '"' && depth === 0) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(' && (depth > 0 || index === 0 || /[\s;]/.test(text[index - 1]!))) {
      if (depth === 0) result += text.slice(keptFrom, index)
      depth++
    } else if (character === ')' && depth > 0) {
      depth--
      keptFrom = index + 1
    }
  }
  // A comment that is not closed is not a comment. Removing it could remove the boundary and so the content.
  return depth > 0 ? text : result + text.slice(keptFrom)
}
