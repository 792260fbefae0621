import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function showAll(isTTY: boolean): string[] {
  const written: string[] = []
  const progress = createProgress({ isTTY, write: (text: unknown) => written.push(String(text)) > 0 })
  for (const label of ['copying messages', 'comparing messages']) {
    for (let done = 5; done <= 100; done += 5) progress.show({ label, done, total: 100 })
  }
  progress.end()
  return written
}

test('on a terminal, one line changes and is gone at the end', () => {
  const written = showAll(true)
  expect(written).toHaveLength(41)
  expect(written[19]).toBe(`\r\u001b[K${'█'.repeat(20)} copying messages: 100 of 100`)
  expect(written.at(-1)).toBe('\r\u001b[K')
})

test('elsewhere, each tenth has a line', () => {
  const written = showAll(false)
  expect(written).toHaveLength(22)
  expect(written.slice(0, 2)).toEqual(['copying messages: 5 of 100\n', 'copying messages: 10 of 100\n'])
  expect(written.at(-1)).toBe('comparing messages: 100 of 100\n')
})
