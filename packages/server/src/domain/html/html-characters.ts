// The characters that divide HTML, as code units, and the names between them.

export const SLASH = 47
export const EQUALS = 61
export const GREATER = 62

export function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90)
}

/** The white space of HTML, which does not include the vertical tab. */
export function isSpace(unit: number): boolean {
  return unit <= 32 && (unit === 32 || unit === 10 || unit === 13 || unit === 9 || unit === 12)
}

/** True for what follows the name of an element. */
export function endsName(unit: number): boolean {
  // Letters come after all of these.
  return unit <= GREATER && (unit === GREATER || unit === SLASH || isSpace(unit))
}

export function endOfName(html: string, from: number): number {
  let position = from
  while (position < html.length && !endsName(html.charCodeAt(position))) position++
  return position
}

/** Lower case of ASCII letters only: the Kelvin sign is not a k in HTML. */
export function lowerCase(name: string): string {
  for (let index = 0; index < name.length; index++) {
    const unit = name.charCodeAt(index)
    if (unit >= 65 && unit <= 90) return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  }
  return name
}
