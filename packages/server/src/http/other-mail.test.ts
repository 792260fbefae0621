import { expect, test } from 'vitest'
import { announcement } from '../../test/support/announce.ts'
import { findOtherMail, listOtherMail } from './other-mail.ts'

test('codes and links are searched in a mail that is opened, and not in each mail of a list', async () => {
  const attachment = { index: 0, filename: 'a.txt', contentType: 'text/plain', size: 9, contentId: null, inline: false }
  const mail = announcement({ plainContent: 'Your code is 482913', domain: 'gmail.com', attachments: [attachment] })
  const others = {
    summary: () => ({ count: 1, version: 1, domains: [] }),
    list: async () => ({ mails: [mail], hasMore: false }),
    read: async () => mail,
    moveIn: async () => ({ moved: 0, left: 0, isDone: true }),
  }
  const ports = { inbound: { worker: { others } }, teams: { rootDomain: 'root.test' } }
  const { messages } = await listOtherMail(ports, { before: null, limit: 50 })
  expect(messages).toMatchObject([{ id: mail.id, to: mail.to, attachmentCount: 1, codes: [], text: null }])
  expect(await findOtherMail(ports, mail.id)).toMatchObject({ codes: [{ value: '482913' }] })
})
