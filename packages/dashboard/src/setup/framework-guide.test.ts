import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { codeFor, readGuide } from './framework-guide.ts'

const guide = readGuide(readFileSync(resolve(import.meta.dirname, '../../../../docs/guide/frameworks.md'), 'utf8'))
const server = { host: 'mail.internal', port: 2600, address: 'hello+x@acme.test' }

test('the guide has at least ten frameworks, and those that were tried are marked', () => {
  const names = guide.map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(10)
  expect(names).toEqual(
    expect.arrayContaining([
      'Nodemailer',
      'Django',
      'Rails',
      'Laravel',
      'Symfony',
      'Spring Boot',
      'ASP.NET Core',
      'Phoenix',
      'WordPress',
      'Go',
    ]),
  )
  expect(guide.find(({ name }) => name === 'Django')!.isTried).toBe(true)
  expect(guide.find(({ name }) => name === 'Rails')!.isTried).toBe(false)
})

test.each(guide.map((settings) => [settings.name, settings] as const))(
  '%s gets the address of this server',
  (_, { code }) => {
    const shown = codeFor(code, server)
    expect(shown).toContain('mail.internal')
    expect(shown).toContain('2600')
    expect(shown).not.toMatch(/localhost|2525|mailhatch\.test/)
  },
)

test('notes are text without comments and links', () => {
  for (const { notes } of guide) for (const note of notes) expect(note).not.toMatch(/<!--|\]\(|```/)
  expect(guide.find(({ name }) => name === 'Phoenix')!.notes).toEqual([
    'With Swoosh:',
    'The adapter needs the package `gen_smtp`.',
  ])
})
