import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Attachment, Header } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { findCodes } from '../domain/codes/codes.ts'
import { parseMail, plainTextOf, readAttachment } from './parse-mail.ts'
import { senderName } from './sender.ts'

/** The file next to an odd mail: why the mail is odd and how it must be parsed. Missing fields are not checked. */
type Expected = {
  why: string
  subject?: string
  from?: string
  fromName?: string | null
  headers?: Header[]
  /** The text, or else the text of the HTML, trimmed and with \n as line ends. */
  text?: string
  /** The text part, unchanged. */
  ownText?: string | null
  /** Trimmed. Null if there is none. */
  html?: string | null
  code?: string
  /** `content` has one character per byte. */
  attachments?: (Partial<Attachment> & { content?: string })[]
  parse?: string
}

const FOLDER = new URL('../../test/mail/odd/', import.meta.url).pathname
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).toSorted()
const names = files.filter((file) => file.endsWith('.eml')).map((file) => file.slice(0, -'.eml'.length))

test.each(names.map((name) => ({ name, ...expectedOf(name) })))('$name: $why', ({ name, why, ...expected }) => {
  expect(why).not.toBe('')
  const keys = Object.keys(expected)
  expect(keys.length).toBeGreaterThan(0)
  expect(seen(readFileSync(join(FOLDER, `${name}.eml`)), expected)).toEqual(expected)
})

test('every mail has an expectation file, and every expectation file has a mail', () => {
  const expectations = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length))
  expect(expectations).toEqual(names)
  expect(names.length).toBeGreaterThan(500)
})

const named = names.filter((name) => name.startsWith('senders') && expectedOf(name).fromName !== undefined)

test.each(named)('the name that intake takes from the headers: %s', (name) => {
  const { headers, from } = parseMail(readFileSync(join(FOLDER, `${name}.eml`)))
  expect(senderName(headers, from)).toBe(expectedOf(name).fromName)
})

function expectedOf(name: string): Expected {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
}

/** The parsed mail in the form of the expectation, with only its fields. */
function seen(raw: Uint8Array, expected: Omit<Expected, 'why'>): object {
  const parsed = parseMail(raw)
  const all: Required<Omit<Expected, 'why' | 'attachments'>> = {
    ...parsed,
    text: plainTextOf(parsed).replace(/\r\n?/g, '\n').trim(),
    ownText: parsed.text,
    html: parsed.html?.trim() ?? null,
    code: findCodes(parsed)[0]?.value ?? '',
  }
  const attachments = parsed.attachments.map((attachment, place) => {
    const wanted = Object.keys(expected.attachments?.[place] ?? { filename: '' })
    const bytes = wanted.includes('content') ? (readAttachment(raw, { index: attachment.index })?.bytes ?? []) : []
    const content = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
    return pick({ ...attachment, content }, wanted)
  })
  return pick({ ...all, attachments }, Object.keys(expected))
}

function pick(from: object, keys: string[]): object {
  return Object.fromEntries(keys.map((key) => [key, from[key as keyof typeof from]]))
}
