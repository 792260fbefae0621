import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { base64, utf8 } from '../decoding/byte-text.ts'
import { marked } from '../decoding/charset-bytes.ts'
import { utf7 } from '../decoding/transfer.ts'
import { VARIANTS } from '../decoding/variants.ts'
import { randomCombinations, repeatedPieces, unicodeRows } from '../support/odd-texts.ts'
import { numberedRandom, seededRandom, type SeededRandom } from '../support/seeded-random.ts'
import { HOSTILE_HTML } from './hostile-html.ts'
import { hostileMails } from './hostile-mail.ts'
import { entity, longRun, PIECES, type Texts } from './mail-parts.ts'

export type GrammarMail = {
  name: string
  raw: Buffer
  /** The block of Unicode that it has as a long run. */
  block?: string
}

const ODD_FOLDER = new URL('../mail/odd/', import.meta.url).pathname
/** Two of each of the ten folders, and not so long that they outnumber all other mail. */
const CUT_PER_FOLDER = 2
const CUT_BYTES_MAX = 300
const COMBINATIONS = 300
/** One mail in this many is a long run of a block of Unicode. */
const BLOCK_EVERY = 4
const ENCODERS: Texts['encoders'] = [
  (text) => utf8(text),
  (text) => utf8(text),
  (text) => utf8(text),
  (text) => marked(text, true),
  (text, random) => utf7(random, text),
  (text) => base64(utf8(text)),
]
/** Hostile mail by number. The same seed makes the same mails. */
export function mailGrammar(seed: number) {
  const texts = textsOf(seededRandom(seed))
  const hostile = hostileMails()
  const odd = oddMails()

  /** The mail with this number: a tree of parts, or one of the known odd and hostile mails, changed at random. */
  function mail(number: number): GrammarMail {
    const random = numberedRandom(seed, number)
    if (number % BLOCK_EVERY === 0) return blockMail(random, number)
    const { kind, text } = draft(random, number)
    const isChanged = kind !== 'tree' || random.chance(0.15)
    const changed = isChanged ? random.mutated(text, PIECES) : text
    return { name: `mail ${number} of seed ${seed} (${kind})`, raw: Buffer.from(changed, 'latin1') }
  }

  function draft(random: SeededRandom, number: number): { kind: string; text: string } {
    if (random.chance(0.8)) return { kind: 'tree', text: tree(random, number) }
    if (random.chance(0.4)) return { kind: 'encoding', text: random.pick(VARIANTS)[1](random).mail }
    if (random.chance(0.4)) {
      const { name, raw } = random.pick(hostile)
      return { kind: name, text: Buffer.from(raw).toString('latin1') }
    }
    const { name, raw } = random.pick(odd)
    return { kind: name, text: raw.toString('latin1') }
  }

  /** Every block of Unicode has its turn. */
  function blockMail(random: SeededRandom, number: number): GrammarMail {
    const turn = texts.rows[(number / BLOCK_EVERY) % texts.rows.length]!
    const raw = Buffer.from(longRun(random, { ...texts, turn }), 'latin1')
    return { name: `mail ${number} of seed ${seed} (${turn.name})`, raw, block: turn.name }
  }

  /** Each block has its turn here as well; the other texts are drawn. */
  const tree = (random: SeededRandom, number: number) =>
    entity(random, { ...texts, turn: texts.rows[number % texts.rows.length]! }, { depth: depthOf(random), isTop: true })

  return { mail, blocks: texts.rows.length }
}

/** Most mail is shallow. Some exceeds every limit of nesting. */
function depthOf(random: SeededRandom): number {
  return random.chance(0.02) ? 150 : random.below(5)
}

/** Every beginning of twenty odd mails, from nothing to the whole. */
export function truncatedMails(): GrammarMail[] {
  const chosen = Object.values(Object.groupBy(oddMails(), ({ name }) => name.split('/')[0]!)).flatMap((mails) =>
    mails!
      .filter(({ raw }) => raw.length <= CUT_BYTES_MAX)
      .sort((a, b) => b.raw.length - a.raw.length)
      .slice(0, CUT_PER_FOLDER),
  )
  return chosen.flatMap(({ name, raw }) =>
    Array.from({ length: raw.length + 1 }, (_, length) => ({
      name: `${name}, the first ${length} bytes`,
      raw: raw.subarray(0, length),
    })),
  )
}

/** A mail of this size whose parts are drawn until they fill it. */
export function largeMail(seed: number, sizeBytes: number): GrammarMail {
  const random = seededRandom(seed)
  const texts = textsOf(random)
  const parts: string[] = ['Subject: large\r\nContent-Type: multipart/mixed; boundary=large\r\n\r\n']
  let length = parts[0]!.length
  for (let number = 0; length < sizeBytes; number++) {
    const turn = texts.rows[number % texts.rows.length]!
    const part = `--large\r\n${entity(random, { ...texts, turn, sizeMin: 100_000 }, { depth: 1, isTop: false })}\r\n`
    parts.push(part.slice(0, sizeBytes - length))
    length += part.length
  }
  return { name: `${sizeBytes} bytes of seed ${seed}`, raw: Buffer.from(parts.join(''), 'latin1') }
}

function textsOf(random: SeededRandom): Texts {
  const rows = unicodeRows(random)
  return {
    rows,
    turn: rows[0]!,
    others: [...repeatedPieces(), ...randomCombinations(random, rows, COMBINATIONS)],
    html: HOSTILE_HTML,
    sizeMin: 0,
    encoders: ENCODERS,
  }
}

function oddMails(): GrammarMail[] {
  const files = readdirSync(ODD_FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.eml'))
  return files.toSorted().map((name) => ({ name, raw: readFileSync(join(ODD_FOLDER, name)) }))
}
