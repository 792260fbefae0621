import { afterEach, expect, test, vi } from 'vitest'
import { jsonText, print } from './output.ts'

afterEach(() => void vi.restoreAllMocks())

function printed(result: object, json: boolean | string): string {
  let text = ''
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (text += `${line}\n`))
  print(result, ['one\u001b[2J line', 'two\nlines'], { json })
  return text
}

test('text has no escape sequences and keeps its lines', () => {
  expect(printed({}, false)).toBe('one line\ntwo\nlines\n')
})

test('JSON keeps all characters, but escapes what a terminal would interpret', () => {
  const written = { subject: 'a\u001b[2Jb\u009b2Jc\u202ed\u200be\u2028f\u{e0001}g😀' }
  const text = jsonText(written)
  expect(JSON.parse(text)).toEqual(written)
  // eslint-disable-next-line no-control-regex -- control characters are what the test looks for
  expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\p{Cf}\p{Zl}]/u)
  expect(text).toContain('😀')
})

test('--json with fields selects them, in each entry of a list', () => {
  expect(printed([{ id: 1, subject: 'a', to: 'b' }], 'subject, id')).toBe('[{"subject":"a","id":1}]\n')
  expect(printed({ id: 1, subject: 'a' }, 'id')).toBe('{"id":1}\n')
  expect(printed({ id: 1 }, true)).toBe('{"id":1}\n')
})

test('an unknown field is an error: it may be an id that --json took as its argument', () => {
  expect(() => printed({ id: 1 }, '0199a3c2')).toThrow('--json: unknown field 0199a3c2. Available: id.')
})
