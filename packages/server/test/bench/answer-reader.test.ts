import { expect, test } from 'vitest'
import { createAnswerReader } from '../../../../bench/tasks/answer-reader.ts'

const withLength = (status: number, body: string) =>
  `HTTP/1.1 ${status} Some\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const inChunks = (status: number, chunks: string[]) =>
  `HTTP/1.1 ${status} Some\r\nTransfer-Encoding: chunked\r\n\r\n` +
  [...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')

const ANSWERS: [number, string][] = [
  [200, '{"a":1}'],
  [404, ''],
  [200, 'first, then äöü\r\n0\r\n\r\nlast'],
  [200, ''],
  [503, 'x'.repeat(40)],
]
const WIRE = Buffer.from(
  [
    withLength(...ANSWERS[0]!),
    withLength(...ANSWERS[1]!),
    inChunks(200, ['first, ', 'then äöü\r\n0\r\n\r\n', 'last']),
    inChunks(200, []),
    inChunks(503, ['x'.repeat(40)]),
  ].join(''),
)

test('the load generator reads responses with a length and in chunks, however they are cut', () => {
  for (let size = 1; size <= WIRE.length; size++) {
    const read: [number, string][] = []
    const reader = createAnswerReader((status, body) => read.push([status, body.toString()]))
    for (let at = 0; at < WIRE.length; at += size) reader(WIRE.subarray(at, at + size))
    expect(read, `cut after every ${size} bytes`).toEqual(ANSWERS)
  }
})
