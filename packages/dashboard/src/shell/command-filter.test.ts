import { describe, expect, test } from 'vitest'
import { findCommands, type Command } from './command-filter.ts'

const commands = [
  command('Inbox', 'Go to'),
  command('API keys', 'Settings'),
  command('Webhooks', 'Settings'),
  command('Keyboard shortcuts', 'Help'),
  command('keys@mailhatch.test', 'Address', { isSearchOnly: true }),
]

function command(text: string, kind: string, rest: Partial<Command> = {}): Command {
  return { id: text, text, kind, icon: 'inbox', run: () => {}, ...rest }
}

describe('finds commands', () => {
  test.each([
    ['', ['Inbox', 'API keys', 'Webhooks', 'Keyboard shortcuts']],
    ['   ', ['Inbox', 'API keys', 'Webhooks', 'Keyboard shortcuts']],
    ['WEB', ['Webhooks']],
    ['keys', ['keys@mailhatch.test', 'API keys']],
    ['keys settings', ['API keys']],
    ['settings', ['API keys', 'Webhooks']],
    ['[', []],
  ])('by %j', (typed, texts) => {
    expect(findCommands(commands, typed).map(({ text }) => text)).toEqual(texts)
  })
})
