import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/server.ts'
import { readMbox } from './mbox.ts'

async function mailsIn(content: string): Promise<string[]> {
  const path = join(temporaryFolder(), 'archive.mbox')
  writeFileSync(path, content, 'latin1')
  const mails: string[] = []
  for await (const raw of readMbox(path)) mails.push(Buffer.from(raw).toString('latin1'))
  return mails
}

test('From lines separate messages', async () => {
  const one = 'From a@b.c Mon\nSubject: one\n\nText\nFrom here on, no new mail.\n>From is escaped\n>>From twice\n\n'
  const two = 'From a@b.c Tue\nSubject: two\n\n8-bit: \u00e4\u00ff\n'
  expect(await mailsIn(one + two)).toEqual([
    'Subject: one\r\n\r\nText\r\nFrom here on, no new mail.\r\nFrom is escaped\r\n>From twice\r\n',
    'Subject: two\r\n\r\n8-bit: \u00e4\u00ff\r\n',
  ])
})

test('Windows line ends, and files without mail', async () => {
  expect(await mailsIn('From a@b.c Mon\r\nSubject: one\r\n\r\nText\r\n')).toEqual(['Subject: one\r\n\r\nText\r\n'])
  expect(await mailsIn('')).toEqual([])
  expect(await mailsIn('no mail\n')).toEqual([])
})
