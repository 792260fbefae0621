import { expect, test } from 'vitest'
import { parseRecipient } from '../domain/address.ts'
import { metadataKey } from '../domain/object-keys.ts'
import { parseMail } from '../mime/parse-mail.ts'
import { newId } from '../random.ts'
import { newMetadata, type Metadata } from './metadata.ts'
import { createWaitingMail } from './waiting-mail.ts'

function mailTo(address: string): Metadata {
  const recipient = parseRecipient(address)!
  const id = newId(Date.now())
  return newMetadata({
    id,
    recipient,
    parsed: parseMail(new TextEncoder().encode('Subject: Hello\r\n\r\n')),
    receivedAt: Date.now(),
    rawSize: 1,
    envelope: null,
    rootDomain: 'in.test',
  })
}

test('waiting and set-aside mail is counted by address, each time it changes', () => {
  const waiting = createWaitingMail({ refusedMailDays: null, startedAt: 0 })
  const mail = mailTo('qa+one@in.test')
  const key = metadataKey('unprocessed', mail)
  const within = (tags: string[] | null, mailbox = 'qa') => waiting.within({ domain: 'in.test', mailbox, tags })
  waiting.remember(key, mail)
  waiting.remember(key, mail)
  waiting.remember('other', mailTo('qa@in.test'))
  expect([within(['one', 'two', 'one']), within(null), within(['two']), within(null, 'shop')]).toEqual([
    { known: 1, setAside: 0 },
    { known: 2, setAside: 0 },
    { known: 0, setAside: 0 },
    { known: 0, setAside: 0 },
  ])
  waiting.remember(key, { ...mail, setAside: { at: '', reason: 'poison', isReported: false } })
  expect(within(['one'])).toEqual({ known: 0, setAside: 1 })
  waiting.forget(key)
  waiting.giveUp('other', null)
  expect(within(null)).toEqual({ known: 0, setAside: 0 })
})
