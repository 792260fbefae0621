import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MessageTimeoutError } from '@mailhatch/sdk'
import { terminalSvg } from '../../../../scripts/terminal-svg.ts'
import { REPOSITORY } from '../support/markdown.ts'
import { shownText } from '../support/shown-text.ts'

const BYTES_MAX = 60_000
const svg = readFileSync(join(REPOSITORY, 'docs/images/failing-test.svg'), 'utf8')

test('the README shows the recording of a failing test, which needs no script, font or other file', () => {
  expect(readFileSync(join(REPOSITORY, 'README.md'), 'utf8')).toContain('](docs/images/failing-test.svg)')
  expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(BYTES_MAX)
  expect(svg).not.toMatch(/<script|<foreignObject|@import|@font-face|url\(|href|\son\w+=/i)
  expect(svg).toContain('@media (prefers-reduced-motion:no-preference){')
  expect(svg).toContain('@media (prefers-color-scheme:dark){')
})

test('the recording shows the error as it is today', () => {
  const text = shownText(svg)
  const [, address] = /in\s+(e2e\+\S+@mailhatch\.test)/.exec(text)!
  const [, timeoutMs] = /within (\d+) ms/.exec(text.replaceAll('\n', ' '))!
  const { message } = new MessageTimeoutError({
    description: `{"subject":"Verify"} in ${address}`,
    timeoutMs: Number(timeoutMs),
    // The parts of a message that the error shows.
    arrived: [{ to: 'e2e@mailhatch.test', subject: 'Verify your address', failed: ['mailbox'] } as never],
  })
  const joined = (value: string) => value.replaceAll(/\s+/g, '')
  expect(joined(text)).toContain(joined(message))
  expect(text).not.toMatch(/\/(?:tmp|home|root|work)\//)
})

test('control: markup in the output is drawn as text, long lines are wrapped, and later lines are animated', () => {
  const drawing = terminalSvg({
    title: 'A <b>',
    lines: [
      { text: '$ a & <b>', atMs: 0 },
      { text: '\u001B[31m12345\u001B[39m678', atMs: 1_000 },
    ],
    columns: 6,
    holdMs: 1_000,
    isKey: () => false,
  })
  expect(shownText(drawing)).toBe('$ a &\n<b>\n123456\n78')
  expect(drawing).toContain('<title>A &lt;b&gt;</title>')
  expect(drawing).toContain('.f1{animation:f1 2000ms step-end 3}@keyframes f1{0%{opacity:0}50%{opacity:1}}')
  expect(drawing).not.toContain('.f0{')
})
