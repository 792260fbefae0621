import type { SeededRandom } from '../support/seeded-random.ts'
import { base64 } from './byte-text.ts'

/** The header of a transfer encoding, and encoded content. */
export type Encoded = { header: string[]; content: string }

export function encodeTransfer(
  random: SeededRandom,
  bytes: string,
  kinds = ['8bit', 'base64', 'quoted-printable'],
): Encoded {
  const kind = random.pick(kinds)
  const label = random.pick([kind, kind.toUpperCase(), `${kind} `])
  const header = [`Content-Transfer-Encoding: ${label}`]
  if (kind === 'base64') return { header, content: inLines(base64(bytes), random.pick([20, 76])) }
  if (kind === 'quoted-printable') return { header, content: quotedPrintable(random, bytes) }
  return { header: random.chance(0.5) ? header : [], content: bytes }
}

export function inLines(text: string, length: number): string {
  return (text.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []).join('\r\n')
}

function quotedPrintable(random: SeededRandom, bytes: string): string {
  let lineLength = 0
  return Array.from(bytes, (byte) => {
    const isPlain = byte !== '=' && byte >= ' ' && byte <= '~' && !random.chance(0.05)
    const hex = byte.charCodeAt(0).toString(16).padStart(2, '0')
    const written = isPlain ? byte : `=${random.chance(0.8) ? hex.toUpperCase() : hex}`
    lineLength += written.length
    if (lineLength < 60) return written
    lineLength = 0
    // Some gateways add a space after the sign.
    return `${written}=${random.pick(['', '', ' '])}\r\n`
  }).join('')
}

export function uuencode(bytes: string, { name, zero }: { name: string; zero: '`' | ' ' }): string {
  const sign = (value: number) => (value === 0 ? zero : String.fromCharCode(value + 32))
  const line = (piece: string) => {
    let written = sign(piece.length)
    for (let at = 0; at < piece.length; at += 3) {
      const [one = 0, two = 0, three = 0] = Array.from(piece.slice(at, at + 3), (byte) => byte.charCodeAt(0))
      written +=
        sign(one >> 2) +
        sign(((one << 4) | (two >> 4)) & 63) +
        sign(((two << 2) | (three >> 6)) & 63) +
        sign(three & 63)
    }
    return written
  }
  return [`begin 644 ${name}`, ...(bytes.match(/.{1,45}/gs) ?? []).map(line), zero, 'end'].join('\r\n')
}

/** UTF-7 (RFC 2152). Characters that may be encoded are written both ways, and the end sign only if required. */
export function utf7(random: SeededRandom, text: string): string {
  let result = ''
  let run = ''
  const flush = (next: string) => {
    if (run === '') return
    let bytes = ''
    for (let at = 0; at < run.length; at++)
      bytes += String.fromCharCode(run.charCodeAt(at) >> 8, run.charCodeAt(at) & 255)
    const needsEnd = /[A-Za-z0-9+/-]/.test(next) || next === ''
    result += `+${base64(bytes).replaceAll('=', '')}${needsEnd || random.chance(0.5) ? '-' : ''}`
    run = ''
  }
  for (const character of text) {
    const isDirect = /[A-Za-z0-9'(),\-./:? \r\n]/.test(character)
    const isOptional = /[!"#$%&*;<=>@[\]^_`{|}]/.test(character) && random.chance(0.5)
    if (!isDirect && !isOptional && (character !== '+' || random.chance(0.5))) {
      run += character
      continue
    }
    flush(character)
    result += character === '+' ? '+-' : character
  }
  flush('')
  return result
}
