import { randomBytes, randomInt } from 'node:crypto'

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
export function randomMail(tag: string, sizeBytes: number): Buffer {
  // The tag is in the mail too, so that a copy without acknowledgement can be identified.
  const head = `From: app@shop.example\r\nTo: qa+${tag}@mailhatch.test\r\nSubject: ${tag}\r\n\r\n`
  const pieces: Buffer[] = [Buffer.from(head)]
  let length = pieces[0]!.length
  while (length < sizeBytes) {
    const piece = randomPiece()
    pieces.push(piece)
    length += piece.length
  }
  if (randomInt(2) === 0) pieces.push(Buffer.from('\r\n'))
  return Buffer.concat(pieces)
}

/** Between 1 and 2 kB as often as between 30 and 60 kB, because most mail is small. */
export function randomSize({ bytesMin, bytesMax }: { bytesMin: number; bytesMax: number }): number {
  return Math.round(bytesMin * (bytesMax / bytesMin) ** (randomInt(1_000_000) / 1_000_000))
}

function randomPiece(): Buffer {
  if (randomInt(2) === 0) return Buffer.from(TROUBLESOME[randomInt(TROUBLESOME.length)]!, 'latin1')
  const bytes = randomBytes(randomInt(1, RANDOM_PIECE_BYTES_MAX))
  return randomInt(3) === 0 ? bytes : Buffer.from(bytes.toString('base64'))
}
