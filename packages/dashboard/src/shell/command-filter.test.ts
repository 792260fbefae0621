import { describe, expect, test } from 'vitest'
import { findCommands, type Command } from './command-filter.ts'

const commands = [
  command('Inbox', 'Go to'),
  command('API keys', 'Settings'),
  command('Webhooks', 'Settings'),
  command('Show all keys', 'Help'),
  command('keys@mailhatch.test', 'Address', { isFurther: true }),
]

function command(text: string, kind: string, rest: Partial<Command> = {}): Command {
  return { id: text, text, kind, icon: 'inbox', run: () => {}, ...rest }
}

describe('commands that are found', () => {
  test.each([
    ['', ['Inbox', 'API keys', 'Webhooks', 'Show all keys']],
    ['   ', ['Inbox', 'API keys', 'Webhooks', 'Show all keys']],
    ['WEB', ['Webhooks']],
    ['keys', ['keys@mailhatch.test', 'API keys', 'Show all keys']],
    ['keys settings', ['API keys']],
    ['settings', ['API keys', 'Webhooks']],
    ['[', []],
  ])('by %j', (typed, texts) => {
    expect(findCommands(commands, typed).map(({ text }) => text)).toEqual(texts)
  })
})
