/**
 * Combining characters in a row that are normalised together: to sort and compose a run takes time by the square of its
 * length. No writing stacks as many; it is the limit of Unicode's stream-safe text (UAX #15, section 13).
 */
const RUN_LENGTH_MAX = 30

/**
 * What may join the character before it in NFKC: marks of every class, and what is a letter by category: vowels and
 * final consonants of Hangul, halfwidth sound marks, vowels of Kirat Rai. A test compares this with all of Unicode.
 */
const HANGUL = String.raw`\u1161-\u1175\u11a8-\u11c2\u3133\u3135\u3136\u313a-\u313f\u314f-\u3163`
const HALFWIDTH = String.raw`\uff9e\uff9f\uffa3\uffa5\uffa6\uffaa-\uffaf\uffc2-\uffc7\uffca-\uffcf\uffd2-\uffd7\uffda-\uffdc`
const JOINING = String.raw`[\p{M}${HANGUL}${HALFWIDTH}\u{16d67}\u{16d68}]`

const ONE = new RegExp(JOINING, 'uy')
const PIECE = new RegExp(`${JOINING}{0,${RUN_LENGTH_MAX}}`, 'uy')

/** The first of them. */
const JOINING_MIN = 0x300

/**
 * Puts NUL behind every 30 characters of a longer run. It is counted from where the run starts, never from where the
 * text does, so that a text and a part of it are broken alike; shorter runs, which is all that people write, stay.
 * `text` is well-formed.
 */
export function breakRuns(text: string): string {
  let broken = ''
  let copiedTo = 0
  // A run that is too long covers one of the places looked at, so most of a text need not be.
  for (let place = RUN_LENGTH_MAX; place < text.length; place += RUN_LENGTH_MAX) {
    if (!isJoining(text, place)) continue
    let end = pieceEnd(text, runStart(text, place))
    for (let next = pieceEnd(text, end); next > end; next = pieceEnd(text, end)) {
      broken += `${text.slice(copiedTo, end)}\0`
      copiedTo = end
      end = next
    }
    place = end
  }
  return copiedTo === 0 ? text : broken + text.slice(copiedTo)
}

/** The first place from `index` on where text without long runs may be cut: what follows joins nothing before it. */
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

/** Of the character that the code unit is a part of. */
function characterStart(text: string, index: number): number {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00 ? index - 1 : index
}
