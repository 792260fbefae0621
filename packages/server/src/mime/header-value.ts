import { joinContinuations } from './parameter-continuations.ts'

/** A structured header such as `text/plain; charset=utf-8`. Value and parameter names are lower-case. */
export type HeaderValue = { value: string; parameters: Map<string, string> }

// A name, perhaps a quoted string or a token, and what belongs to nobody up to the next semicolon. Nothing in it can
// fail after a long match, so it never goes back over the text.
const PARAMETER = /;\s*([^=;\s]*)\s*(?:=\s*(?:"((?:[^"\\]|\\[^])*)|([^;]*)))?[^;]*/g

export function parseHeaderValue(header: string): HeaderValue {
  const text = withoutComments(header)
  const end = text.indexOf(';')
  if (end < 0) return { value: text.trim().toLowerCase(), parameters: new Map() }

  const parameters = new Map<string, string>()
  for (const [, name, quoted, token] of text.slice(end).matchAll(PARAMETER)) {
    const value = quoted === undefined ? token?.trim() : unescape(quoted)
    const key = name?.toLowerCase()
    // The first one counts, so that a repeated `boundary` cannot show us another mail than others see.
    if (key && value !== undefined && !parameters.has(key)) parameters.set(key, value)
  }
  joinContinuations(parameters)
  return { value: text.slice(0, end).trim().toLowerCase(), parameters }
}

// Windows paths in quotes are seen more often than escaped letters, so a backslash before a letter stays.
function unescape(quoted: string): string {
  return quoted.includes('\\') ? quoted.replace(/\\(["\\])/g, '$1') : quoted
}

/** Removes RFC 5322 comments. `Invoice(1).pdf` has none: a comment follows white space or begins the text. */
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
  // An open comment is none: it would take the boundary with it, and with that the mail.
  return depth > 0 ? text : result + text.slice(keptFrom)
}
