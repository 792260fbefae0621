import { describe, expect, test } from 'vitest'
import type { LineFault } from './line-reader.ts'
import { LineReader } from './line-reader.ts'

function linesOf(reader: LineReader): (string | LineFault)[] {
  const lines: (string | LineFault)[] = []
  for (let line = reader.nextLine(); line !== null; line = reader.nextLine()) lines.push(line)
  return lines
}

function readApart(wire: string | Buffer, lineBytesMax = 20): (string | LineFault)[] {
  const reader = new LineReader(lineBytesMax)
  const lines: (string | LineFault)[] = []
  for (const byte of Buffer.from(wire)) {
    reader.push(Buffer.from([byte]))
    lines.push(...linesOf(reader))
  }
  return lines
}

function readWhole(wire: string | Buffer, lineBytesMax = 20): (string | LineFault)[] {
  const reader = new LineReader(lineBytesMax)
  reader.push(Buffer.from(wire))
  return linesOf(reader)
}

const TOO_LONG = { fault: 'too-long' }
const MALFORMED = { fault: 'malformed' }

describe.each([
  ['whole', readWhole],
  ['byte by byte', readApart],
])('lines that come %s', (_name, read) => {
  test.each<[string, string | Buffer, unknown[]]>([
    ['several lines', 'EHLO a\r\nQUIT\r\n', ['EHLO a', 'QUIT']],
    ['an empty line', '\r\n', ['']],
    ['a line without its end is not there yet', 'QUIT\r\nNOO', ['QUIT']],
    ['UTF-8 is decoded', 'ä@ö.test\r\n', ['ä@ö.test']],
    ['a bare LF is no line end', 'QUIT\nNOOP\r\n', [MALFORMED, 'NOOP']],
    ['a lone LF', '\nNOOP\r\n', [MALFORMED, 'NOOP']],
    ['a bare CR', 'QU\rIT\r\n', [MALFORMED]],
    ['NUL', 'QU\0IT\r\n', [MALFORMED]],
    ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0x0d, 0x0a]), [MALFORMED]],
    ['limit: n−1 bytes', `${'a'.repeat(17)}\r\n`, ['a'.repeat(17)]],
    ['limit: n bytes', `${'a'.repeat(18)}\r\n`, ['a'.repeat(18)]],
    ['limit: n+1 bytes', `${'a'.repeat(19)}\r\nNOOP\r\n`, [TOO_LONG, 'NOOP']],
    ['far over the limit', `${'a'.repeat(500)}\r\nNOOP\r\n`, [TOO_LONG, 'NOOP']],
  ])('%s', (_name, wire, lines) => {
    expect(read(wire)).toEqual(lines)
  })
})

test('an endless line is not kept in memory', () => {
  const reader = new LineReader(20)
  for (let count = 0; count < 100; count++) {
    reader.push(Buffer.alloc(1_000, 'a'))
    expect(reader.nextLine()).toBeNull()
    expect(reader.isEmpty).toBe(true)
  }
})

test('bytes after a line are returned unchanged', () => {
  const reader = new LineReader(20)
  reader.push(Buffer.from('DATA\r\nab\r\ncd'))
  expect(reader.nextLine()).toBe('DATA')
  expect(reader.rest().toString()).toBe('ab\r\ncd')
  reader.skip(4)
  expect(reader.rest().toString()).toBe('cd')
  reader.skip(2)
  expect(reader.isEmpty).toBe(true)
})
