import { decodeBytes } from './charset.ts'
import { hexByte } from './transfer-encoding.ts'

const PERCENT = 0x25

type Section = { index: number; isEncoded: boolean; value: string }

/**
 * RFC 2231: `name*=utf-8''%e2%82%ac` and `name*0=…; name*1=…` become one decoded `name`, which replaces a plain one.
 */
export function joinContinuations(parameters: Map<string, string>): void {
  const sections = new Map<string, Section[]>()
  for (const [key, value] of parameters) {
    const match = /\*(?:(\d{1,3})(\*)?)?$/.exec(key)
    if (!match || match.index === 0) continue
    const [, index, star] = match
    const name = key.slice(0, match.index)
    // A value that is not split is complete, so it takes precedence over a split one.
    const section = { index: index ? Number(index) : -1, isEncoded: !index || star === '*', value }
    const known = sections.get(name)
    if (known) known.push(section)
    else sections.set(name, [section])
    parameters.delete(key)
  }
  for (const [name, pieces] of sections) parameters.set(name, decodeSections(pieces))
}

function decodeSections(sections: Section[]): string {
  const whole = sections.find(({ index }) => index < 0)
  const pieces = whole ? [whole] : sections.sort((one, other) => one.index - other.index)

  let charset = ''
  let text = ''
  // Adjacent encoded sections are decoded together, because a character may be split between them.
  let encoded = ''
  for (const [place, piece] of pieces.entries()) {
    let { value } = piece
    if (place === 0 && piece.isEncoded) {
      const declaration = /^([^']*)'[^']*'/.exec(value)
      charset = declaration?.[1] ?? ''
      value = value.slice(declaration?.[0].length ?? 0)
    }
    if (piece.isEncoded) {
      encoded += value
      continue
    }
    text += decodePercents(encoded, charset) + value
    encoded = ''
  }
  return text + decodePercents(encoded, charset)
}

function decodePercents(text: string, charset: string): string {
  if (text === '') return ''
  const bytes = new TextEncoder().encode(text)
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    const value = bytes[index] === PERCENT ? hexByte(bytes, index + 1) : -1
    bytes[length++] = value < 0 ? bytes[index]! : value
    if (value >= 0) index += 2
  }
  return decodeBytes(bytes.subarray(0, length), charset)
}
