import { expect, test } from 'vitest'
import { createProgress } from './progress.ts'

function showAll({ isTTY, isLogged = false }: { isTTY: boolean; isLogged?: boolean }): string[] {
  const written: string[] = []
  const output = { isTTY, write: (text: unknown) => written.push(String(text)) > 0 }
  const progress = createProgress({ output, isLogged })
  for (const done of [0, 1, 50, 51, 100]) progress.show({ label: 'copying messages', done, total: 100 })
  progress.end()
  return written
}

test('on a terminal, a bar grows and disappears at the end', () => {
  expect(showAll({ isTTY: true })).toEqual([
    `\r\u001b[K${'░'.repeat(20)} copying messages: 0 of 100`,
    `\r\u001b[K${'░'.repeat(20)} copying messages: 1 of 100`,
    `\r\u001b[K${'█'.repeat(10)}${'░'.repeat(10)} copying messages: 50 of 100`,
    `\r\u001b[K${'█'.repeat(10)}${'░'.repeat(10)} copying messages: 51 of 100`,
    `\r\u001b[K${'█'.repeat(20)} copying messages: 100 of 100`,
    '\r\u001b[K',
  ])
})

test('without a terminal, nothing is written', () => {
  expect(showAll({ isTTY: false })).toEqual([])
})

test('in a log, one line per tenth', () => {
  expect(showAll({ isTTY: false, isLogged: true })).toEqual([
    'copying messages: 0 of 100\n',
    'copying messages: 50 of 100\n',
    'copying messages: 100 of 100\n',
  ])
})
