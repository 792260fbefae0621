import { expect, test } from 'vitest'
import { fitLine } from './log-line.ts'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /\p{Cc}/u.test(one),
)
const TURNING = ['\u200b', '\u200f', '\u202e', '\u2028', '\u2029', '\u2066', '\ufeff', '\u{e0041}']

function lineOf(to: string): string {
  return JSON.stringify({ level: 30, time: 1, to, msg: 'mail rejected' })
}

test.each([...CONTROLS, ...TURNING])('%j is escaped in the line but preserved', (nasty) => {
  const line = fitLine(lineOf(`a${nasty}b`))
  expect(line).not.toContain(nasty)
  expect(JSON.parse(line).to).toBe(`a${nasty}b`)
})

test('a line that is too long keeps its most important fields', () => {
  const line = fitLine(lineOf('\\"'.repeat(50_000)))
  expect(line.length).toBeLessThan(9 * 1024)
  expect(JSON.parse(line)).toMatchObject({ level: 30, time: 1, msg: 'mail rejected', cut: expect.any(String) })
  const short = lineOf('x'.repeat(8_000))
  expect(fitLine(short)).toBe(short)
})
