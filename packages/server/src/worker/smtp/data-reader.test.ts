import { describe, expect, test } from 'vitest'
import { DataReader } from './data-reader.ts'

function readAll(parts: Buffer[]): { content: string; ended: boolean; left: string } {
  const reader = new DataReader()
  const content: Buffer[] = []
  let left = ''
  for (const part of parts) {
    if (reader.ended) {
      left += part.toString('latin1')
      continue
    }
    // The reader may overwrite its chunk, so it gets a copy.
    const chunk = Buffer.from(part)
    content.push(Buffer.from(reader.read(chunk)))
    left += chunk.toString('latin1', reader.consumed)
  }
  return { content: Buffer.concat(content).toString('latin1'), ended: reader.ended, left }
}

function everySplit(bytes: Buffer): Buffer[][] {
  const splits: Buffer[][] = [[bytes], Array.from(bytes, (byte) => Buffer.from([byte]))]
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      splits.push([bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)])
    }
  }
  return splits
}

type Case = { wire: string; content: string; ended?: boolean; left?: string }

const cases: Record<string, Case> = {
  'an empty mail is a dot line at once': { wire: '.\r\n', content: '' },
  'the CRLF before the end mark belongs to the mail': { wire: 'a\r\n.\r\n', content: 'a\r\n' },
  'what follows the end mark is left': { wire: 'a\r\n.\r\nQUIT\r\n', content: 'a\r\n', left: 'QUIT\r\n' },
  'a doubled dot at the very start': { wire: '..a\r\n.\r\n', content: '.a\r\n' },
  'a doubled dot after CRLF': { wire: 'a\r\n..b\r\n.\r\n', content: 'a\r\n.b\r\n' },
  'a single dot before text is dropped too': { wire: 'a\r\n.b\r\n.\r\n', content: 'a\r\nb\r\n' },
  'a line of only a dot': { wire: 'a\r\n..\r\nb\r\n.\r\n', content: 'a\r\n.\r\nb\r\n' },
  'a dot inside a line': { wire: 'a.b\r\n.\r\n', content: 'a.b\r\n' },
  'many dot lines': { wire: '..\r\n..\r\n...\r\nx\r\n..y\r\n.\r\n', content: '.\r\n.\r\n..\r\nx\r\n.y\r\n' },
  'LF dot LF is text': { wire: 'a\n.\nb\r\n.\r\n', content: 'a\n.\nb\r\n' },
  'LF dot CRLF is text': { wire: 'a\n.\r\nb\r\n.\r\n', content: 'a\n.\r\nb\r\n' },
  'CR dot CRLF is text': { wire: 'a\r.\r\nb\r\n.\r\n', content: 'a\r.\r\nb\r\n' },
  'CR dot CR is text': { wire: 'a\r.\rb\r\n.\r\n', content: 'a\r.\rb\r\n' },
  'CRLF dot LF is text, with its dot taken out': { wire: 'a\r\n.\nb\r\n.\r\n', content: 'a\r\n\nb\r\n' },
  'CRLF dot CR is text, with its dot taken out': { wire: 'a\r\n.\rb\r\n.\r\n', content: 'a\r\n\rb\r\n' },
  'CRLF dot CR CR LF is text': { wire: 'a\r\n.\r\r\nb\r\n.\r\n', content: 'a\r\n\r\r\nb\r\n' },
  'CR CRLF dot CRLF ends': { wire: 'a\r\r\n.\r\n', content: 'a\r\r\n' },
  'a dot after LF keeps both dots': { wire: 'a\n..b\r\n.\r\n', content: 'a\n..b\r\n' },
  'NUL and 8-bit bytes': { wire: '\0\xff\x80\r\n..\0\r\n.\r\n', content: '\0\xff\x80\r\n.\0\r\n' },
  'no end yet': { wire: 'a\r\n.\r', content: 'a\r\n', ended: false },
}

describe('for any chunking of the stream', () => {
  test.each(Object.entries(cases))('%s', (_name, { wire, content, ended = true, left = '' }) => {
    for (const parts of everySplit(Buffer.from(wire, 'latin1'))) {
      expect({ parts, ...readAll(parts) }).toEqual({ parts, content, ended, left })
    }
  })
})

test('a chunk without dot lines is returned unchanged, without a copy', () => {
  const chunk = Buffer.from('Subject: a\r\n\r\ntext')
  const content = new DataReader().read(chunk)
  expect(content.buffer).toBe(chunk.buffer)
  expect(content).toEqual(Buffer.from('Subject: a\r\n\r\ntext'))
})

test('random streams of CR, LF, dot and text read the same whole and byte by byte', () => {
  const letters = '\r\n.a'
  let seed = 1
  for (let round = 0; round < 2_000; round++) {
    let wire = ''
    while (wire.length < 24) {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      wire += letters[(seed >> 16) % 4]
    }
    const bytes = Buffer.from(`${wire}\r\n.\r\n`)
    const whole = readAll([bytes])
    expect(whole.ended).toBe(true)
    expect({ wire, ...readAll(Array.from(bytes, (byte) => Buffer.from([byte]))) }).toEqual({ wire, ...whole })
  }
})
