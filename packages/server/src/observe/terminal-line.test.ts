import { expect, test } from 'vitest'
import { fitLine } from './log-line.ts'
import { terminalLine } from './terminal-line.ts'

const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((one) =>
  /\p{Cc}/u.test(one),
)
const TURNING = ['\u200b', '\u200f', '\u202e', '\u2028', '\u2029', '\u2066', '\ufeff', '\u{e0041}']
const HARMLESS = ['Grüße', '日本', '🥚', 'C:\\new\\u001b\\table', '"quoted"', '\\', '\\\\u009b', 'a\ttab']

function shown(fields: object, msg = 'mail rejected'): string {
  const line = JSON.stringify({ level: 40, time: Date.now(), pid: 7, hostname: 'build-7', ...fields, msg })
  return terminalLine(fitLine(line), false)
}

test('a line has the time, the level, the message and each field', () => {
  expect(shown({ to: 'qa@in.test', size: 12, reason: null, isFinal: false, tags: ['a', 'b'] })).toMatch(
    /^\[\d\d:\d\d:\d\d\] WARN: mail rejected\n {4}to: qa@in\.test\n {4}size: 12\n {4}reason: null\n {4}isFinal: false\n {4}tags: \["a","b"\]$/,
  )
})

test('an error is shown with its stack', () => {
  expect(shown({ err: { type: 'Error', stack: 'Error: no\n    at a.ts:1' } })).toMatch(
    /\n {4}err:\n {8}type: Error\n {8}stack: Error: no\n {16}at a\.ts:1$/,
  )
})

test.each([...CONTROLS, ...TURNING].filter((one) => !'\n\t'.includes(one)))('%j stays escaped', (nasty) => {
  for (const text of [
    shown({ to: `a\\${nasty}b` }),
    shown({ err: { stack: `a\\${nasty}b` } }),
    shown({}, `a\\${nasty}b`),
  ]) {
    expect(text).not.toContain(nasty)
    expect(text).toMatch(/a\\(\\u[\da-f]{4}|\\[bfr])+b/)
  }
})

test.each(HARMLESS)('%j is shown unchanged', (text) => {
  expect(shown({ to: text })).toContain(`\n    to: ${text}`)
})

test('a line end in a value does not begin another log line', () => {
  const forged = 'a\n[12:00:00] INFO: all is well'
  for (const text of [
    shown({ to: forged }),
    shown({}, forged),
    shown({ to: [forged] }),
    shown({ err: { stack: forged } }),
  ]) {
    expect(text).toContain('INFO: all is well')
    expect(text).not.toMatch(/\n\S/)
  }
})

test('only the level is colored', () => {
  const line = JSON.stringify({ level: 50, time: Date.now(), msg: 'no' })
  expect(terminalLine(line, true).split('\u001b')).toEqual([expect.stringMatching(/\] $/), '[31mERROR', '[39m: no'])
})
