// Korean in Windows: EUC-KR plus the other 8,822 syllables in positions that EUC-KR does not use, in Unicode order. Not
// every `TextDecoder` supports them, so they are computed here.

const eucKr = new TextDecoder('euc-kr')
const FIRST_SYLLABLE = 0xac00
const SYLLABLES = 11_172
// Text does not use this control character. If it does, the character stays.
const MARK = 0x1a
const ROWS = { first: 0xb0, last: 0xc8 }

let extension: string[] | null = null

export function decodeWindows949(bytes: Uint8Array): string {
  if (!hasExtension(bytes)) return eucKr.decode(bytes)
  // Each syllable is replaced by a mark and the rest is decoded in one call, instead of one call per syllable.
  const rest = new Uint8Array(bytes.length)
  const marked: string[] = []
  let length = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    const syllable = byte < 0x80 ? null : extensionAt(byte, bytes[index + 1] ?? 0)
    if (syllable !== null || byte === MARK) {
      marked.push(syllable ?? '\u001a')
      rest[length++] = MARK
      if (syllable !== null) index++
      continue
    }
    rest[length++] = byte
    if (byte >= 0x80 && index + 1 < bytes.length) rest[length++] = bytes[++index]!
  }
  let next = 0
  return eucKr.decode(rest.subarray(0, length)).replaceAll('\u001a', () => marked[next++] ?? '')
}

function hasExtension(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++) {
    const lead = bytes[index]!
    if (lead < 0x80) continue
    if (lead < 0xa1 || bytes[index + 1]! < 0xa1) return true
    index++
  }
  return false
}

function extensionAt(lead: number, trail: number): string | null {
  if (lead < 0x81 || lead > 0xc6 || (lead > 0xa0 && trail > 0xa0)) return null
  const column = columnOf(trail)
  if (column < 0) return null
  // The rows 81 to a0 have 178 positions each. Later rows have 84, up to the start of EUC-KR.
  const place = lead <= 0xa0 ? (lead - 0x81) * 178 + column : 32 * 178 + (lead - 0xa1) * 84 + column
  extension ??= listExtension()
  return extension[place] ?? null
}

function columnOf(trail: number): number {
  if (trail >= 0x41 && trail <= 0x5a) return trail - 0x41
  if (trail >= 0x61 && trail <= 0x7a) return trail - 0x61 + 26
  return trail >= 0x81 && trail <= 0xfe ? trail - 0x81 + 52 : -1
}

/** The syllables that EUC-KR lacks, in Unicode order. */
function listExtension(): string[] {
  const known = new Set<string>()
  for (let row = ROWS.first; row <= ROWS.last; row++) {
    const bytes = Uint8Array.from({ length: 188 }, (_, at) => (at % 2 === 0 ? row : 0xa1 + (at >> 1)))
    for (const syllable of eucKr.decode(bytes)) known.add(syllable)
  }
  const all = Array.from({ length: SYLLABLES }, (_, at) => String.fromCharCode(FIRST_SYLLABLE + at))
  return all.filter((syllable) => !known.has(syllable))
}
