import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/server.ts'
import { readMbox } from './mbox.ts'
import { MAIL_BYTES_MAX } from './stored-mail.ts'

async function mailsIn(content: string | Buffer): Promise<(string | null)[]> {
  const path = join(temporaryFolder(), 'archive.mbox')
  writeFileSync(path, content, 'latin1')
  const mails: (string | null)[] = []
  for await (const raw of readMbox(path)) mails.push(raw && Buffer.from(raw).toString('latin1'))
  return mails
}

test('From lines separate messages', async () => {
  const one = 'From a@b.c Mon\nSubject: one\n\nText\nFrom here on, no new mail.\n>From is escaped\n>>From twice\n\n'
  const two = 'From a@b.c Tue\nSubject: two\n\n8-bit: \u00e4\u00ff\n'
  expect(await mailsIn(one + two)).toEqual([
    'Subject: one\n\nText\nFrom here on, no new mail.\nFrom is escaped\n>From twice\n',
    'Subject: two\n\n8-bit: \u00e4\u00ff\n',
  ])
})

test('lines and mail across the chunks in which a file is read', async () => {
  const long = 'x'.repeat(300_000)
  const mails = Array.from({ length: 50 }, (_, index) => `Subject: ${index}\n\n${'>From a\n'.repeat(index * 300)}`)
  const bodies = [...mails, `Subject: long\n\n${long}From \n${long}\n`]
  const content = bodies.map((mail) => `From a@b.c Mon\n${mail}\n`).join('')
  expect(await mailsIn(content)).toEqual(bodies.map((mail) => mail.replaceAll(/^>From /gm, 'From ')))
})

test('a mail that is too large is left out, not the one after it', async () => {
  const line = Buffer.alloc(1024 * 1024, 'x')
  const huge = Array.from({ length: MAIL_BYTES_MAX / line.length }, () => line)
  const next = Buffer.from('\n\nFrom a@b.c Mon\nSubject: next\n')
  expect(await mailsIn(Buffer.concat([Buffer.from('From a@b.c Mon\n'), ...huge, next]))).toEqual([
    null,
    'Subject: next\n',
  ])
})

test('Windows line ends, and files without mail', async () => {
  expect(await mailsIn('From a@b.c Mon\r\nSubject: one\r\n\r\nText\r\n')).toEqual(['Subject: one\r\n\r\nText\r\n'])
  expect(await mailsIn('')).toEqual([])
  expect(await mailsIn('no mail\n')).toEqual([])
})
