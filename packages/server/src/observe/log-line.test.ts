import { expect, test } from 'vitest'
import { fitLine, keepEscapes } from './log-line.ts'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /\p{Cc}/u.test(one),
)
const TURNING = ['\u200b', '\u200f', '\u202e', '\u2028', '\u2029', '\u2066', '\ufeff', '\u{e0041}']
const HARMLESS = ['Grüße', '日本', '🥚', 'C:\\new\\u001b\\table', '"quoted"', '\\', '\\\\u009b']

function lineOf(to: string): string {
  return JSON.stringify({ level: 30, time: 1, to, msg: 'mail rejected' })
}

test.each([...CONTROLS, ...TURNING])('%j is escaped in the line but preserved', (nasty) => {
  const line = fitLine(lineOf(`a${nasty}b`))
  expect(line).not.toContain(nasty)
  expect(JSON.parse(line).to).toBe(`a${nasty}b`)
})

test.each([...CONTROLS, ...TURNING].filter((one) => !'\n\t'.includes(one)))(
  '%j is still escaped after the line is parsed and shown',
  (nasty) => {
    const shown = JSON.parse(keepEscapes(fitLine(lineOf(`a\\${nasty}b`)))).to
    expect(shown).not.toContain(nasty)
    expect(shown).toMatch(/^a\\(\\u[\da-f]{4}|\\[bfr])+b$/)
  },
)

test.each([...HARMLESS, 'two\nlines', 'a\ttab'])('%j is shown unchanged', (text) => {
  expect(JSON.parse(keepEscapes(fitLine(lineOf(text)))).to).toBe(text)
})

test('a line that is too long keeps its most important fields', () => {
  const line = fitLine(lineOf('\\"'.repeat(50_000)))
  expect(line.length).toBeLessThan(9 * 1024)
  expect(JSON.parse(line)).toMatchObject({ level: 30, time: 1, msg: 'mail rejected', cut: expect.any(String) })
  const short = lineOf('x'.repeat(8_000))
  expect(fitLine(short)).toBe(short)
})
