/**
 * How many combining characters in a row are normalised together. Normalising a run takes time quadratic in its length.
 * No script needs as many. It is the limit of Unicode's stream-safe text (UAX #15, section 13).
 */
const RUN_LENGTH_MAX = 30

/**
 * Characters that NFKC may combine with the previous one: marks of every class and some letters (vowels and final
 * consonants of Hangul, halfwidth sound marks, vowels of Kirat Rai). A test compares this with all of Unicode.
 */
const HANGUL = String.raw`\u1161-\u1175\u11a8-\u11c2\u3133\u3135\u3136\u313a-\u313f\u314f-\u3163`
const HALFWIDTH = String.raw`\uff9e\uff9f\uffa3\uffa5\uffa6\uffaa-\uffaf\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc`
const JOINING = String.raw`[\p{M}${HANGUL}${HALFWIDTH}\u{16d67}\u{16d68}]`

const ONE = new RegExp(JOINING, 'uy')
const PIECE = new RegExp(`${JOINING}{0,${RUN_LENGTH_MAX}}`, 'uy')

/** The first combining character. */
const JOINING_MIN = 0x300

/**
 * Inserts NUL after every 30 characters of a longer run, counted from the start of the run, so that a text and a part
 * of it are broken at the same characters. Shorter runs, the only ones in real text, do not change. `text` must be
 * well-formed.
 */
export function breakRuns(text: string): string {
  let broken = ''
  let copiedTo = 0
  // Every run that is too long covers one of these positions, so the others need no check.
  for (let position = RUN_LENGTH_MAX; position < text.length; position += RUN_LENGTH_MAX) {
    if (!isJoining(text, position)) continue
    let end = pieceEnd(text, runStart(text, position))
    for (let next = pieceEnd(text, end); next > end; next = pieceEnd(text, end)) {
      broken += `${text.slice(copiedTo, end)}\0`
      copiedTo = end
      end = next
    }
    position = end
  }
  return copiedTo === 0 ? text : broken + text.slice(copiedTo)
}

/** The first position from `index` on where text without long runs may be cut: no character combines across it. */
export function nextCut(text: string, index: number): number {
  if (index >= text.length) return text.length
  const start = characterStart(text, index)
  return isJoining(text, start) ? pieceEnd(text, runStart(text, start)) : start
}

function runStart(text: string, index: number): number {
  let start = characterStart(text, index)
  while (start > 0 && isJoining(text, start - 1)) start = characterStart(text, start - 1)
  return start
}

function pieceEnd(text: string, start: number): number {
  PIECE.lastIndex = start
  PIECE.test(text)
  return PIECE.lastIndex
}

function isJoining(text: string, index: number): boolean {
  if (text.charCodeAt(index) < JOINING_MIN) return false
  ONE.lastIndex = characterStart(text, index)
  return ONE.test(text)
}

/** The start of the character that contains the code unit. */
function characterStart(text: string, index: number): number {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index
}
