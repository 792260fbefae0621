import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function showAll(isTTY: boolean): string[] {
  const written: string[] = []
  const progress = createProgress({ isTTY, write: (text: unknown) => written.push(String(text)) > 0 })
  for (const done of [0, 50, 100]) progress.show({ label: 'copying messages', done, total: 100 })
  progress.end()
  return written
}

test('on a terminal, a bar grows and is gone at the end', () => {
  expect(showAll(true)).toEqual([
    `\r\u001b[K${'░'.repeat(20)} copying messages: 0 of 100`,
    `\r\u001b[K${'█'.repeat(10)}${'░'.repeat(10)} copying messages: 50 of 100`,
    `\r\u001b[K${'█'.repeat(20)} copying messages: 100 of 100`,
    '\r\u001b[K',
  ])
})

test('elsewhere, nothing is written', () => {
  expect(showAll(false)).toEqual([])
})
