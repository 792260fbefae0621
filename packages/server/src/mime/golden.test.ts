import { describe, expect, test } from 'vitest'
import { charsets } from './golden/charsets.ts'
import { firstLines } from './golden/first-lines.ts'
import { bytesOf, type Expected, type GoldenMail } from './golden/golden-mail.ts'
import { ownTexts } from './golden/own-texts.ts'
import { senders } from './golden/senders.ts'
import { structures } from './golden/structures.ts'
import { transfer } from './golden/transfer.ts'
import { words } from './golden/words.ts'
import { parseMail, plainTextOf, readAttachment } from './parse-mail.ts'
import { senderName } from './sender.ts'

const sets = { words, charsets, transfer, structures, senders, firstLines, ownTexts }

/** What a reader sees, in the terms of a golden mail, and no more than it names. */
function seen({ mail, expected }: GoldenMail): Expected {
  const bytes = bytesOf(mail)
  const parsed = parseMail(bytes)
  const attachments = parsed.attachments
  const all: Required<Expected> = {
    subject: parsed.subject,
    text: plainTextOf(parsed).replace(/\r\n?/g, '\n').trim(),
    html: (parsed.html ?? '').trim(),
    from: parsed.from,
    fromName: parsed.fromName,
    attachments: attachments.map(({ filename }) => filename),
    contents: attachments.map(({ index }) => String.fromCharCode(...(readAttachment(bytes, { index })?.bytes ?? []))),
  }
  return Object.fromEntries(Object.keys(expected).map((key) => [key, all[key as keyof Expected]]))
}

const named = senders.filter(({ expected }) => expected.fromName !== undefined)

test.each(named)('the name that intake takes from the headers: $name', ({ mail, expected }) => {
  const { headers, from } = parseMail(bytesOf(mail))
  expect(senderName(headers, from)).toBe(expected.fromName)
})

for (const [name, mails] of Object.entries(sets)) {
  describe(`golden: ${name}`, () => {
    test.each(mails)('$name', (golden) => {
      expect(seen(golden)).toEqual(golden.expected)
    })
  })
}
