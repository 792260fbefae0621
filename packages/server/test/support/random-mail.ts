import { randomInt } from 'node:crypto'
import { seededRandom, type SeededRandom } from './seeded-random.ts'

/** What careless receivers change: dots, lone line ends, NULs, bytes beyond ASCII. */
const TROUBLESOME = [
  '\r\n.\r\n',
  '\r\n..\r\n',
  '\r\n.',
  '\n.\n',
  '\n.\r\n',
  '\r.\r',
  '\r\n\r\n',
  '\0',
  '\r',
  '\n',
  '\xff\xfe',
]
const RANDOM_PIECE_BYTES_MAX = 600

/** A mail of about the given size with random bytes. Some end with a line end, some do not. */
export function randomMail(
  tag: string,
  sizeBytes: number,
  { random = unseeded(), domain = 'mailhatch.test' }: { random?: SeededRandom; domain?: string } = {},
): Buffer {
  // The address is in the mail too, so that a copy without acknowledgement or metadata can be identified.
  const head = `From: app@shop.example\r\nTo: qa+${tag}@${domain}\r\nSubject: ${tag}\r\n\r\n`
  const pieces: Buffer[] = [Buffer.from(head)]
  let length = pieces[0]!.length
  while (length < sizeBytes) {
    const piece = randomPiece(random)
    pieces.push(piece)
    length += piece.length
  }
  if (random.chance(1 / 2)) pieces.push(Buffer.from('\r\n'))
  return Buffer.concat(pieces)
}

/** Between 1 and 2 kB as often as between 30 and 60 kB, because most mail is small. */
export function randomSize(
  { bytesMin, bytesMax }: { bytesMin: number; bytesMax: number },
  random = unseeded(),
): number {
  return Math.round(bytesMin * (bytesMax / bytesMin) ** (random.below(1_000_000) / 1_000_000))
}

function randomPiece(random: SeededRandom): Buffer {
  if (random.chance(1 / 2)) return Buffer.from(random.pick(TROUBLESOME), 'latin1')
  const bytes = Buffer.alloc(1 + random.below(RANDOM_PIECE_BYTES_MAX - 1))
  for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256)
  return random.chance(1 / 3) ? bytes : Buffer.from(bytes.toString('base64'))
}

function unseeded(): SeededRandom {
  return seededRandom(randomInt(2 ** 32))
}
