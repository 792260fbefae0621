import { afterEach, expect, test, vi } from 'vitest'
import { jsonText, print } from './output.ts'

afterEach(() => void vi.restoreAllMocks())

function printed(result: object, json: boolean | string): string {
  let text = ''
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (text += `${line}\n`))
  print(result, ['one\u001b[2J line', 'two\nlines'], { json })
  return text
}

test('text has nothing in it that moves the cursor, and keeps its lines', () => {
  expect(printed({}, false)).toBe('one line\ntwo\nlines\n')
})

test('JSON loses nothing, and holds nothing that a terminal obeys', () => {
  const written = { subject: 'a\u001b[2Jb\u009b2Jc\u202ed\u200be\u2028f\u{e0001}g😀' }
  const text = jsonText(written)
  expect(JSON.parse(text)).toEqual(written)
  // eslint-disable-next-line no-control-regex -- they are what is looked for
  expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\p{Cf}\p{Zl}]/u)
  expect(text).toContain('😀')
})

test('--json with fields picks them, of each entry of a list', () => {
  expect(printed([{ id: 1, subject: 'a', to: 'b' }], 'subject, id')).toBe('[{"subject":"a","id":1}]\n')
  expect(printed({ id: 1, subject: 'a' }, 'id')).toBe('{"id":1}\n')
  expect(printed({ id: 1 }, true)).toBe('{"id":1}\n')
})

test('a field that is not there is refused: it may be an id that --json has swallowed', () => {
  expect(() => printed({ id: 1 }, '0199a3c2')).toThrow('--json: there is no field 0199a3c2, only id.')
})
