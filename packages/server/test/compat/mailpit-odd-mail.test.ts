import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MailpitClient } from 'mailpit-api'
import { expect, test } from 'vitest'
import { inGroups } from '../../src/domain/in-groups.ts'
import { startServer } from '../support/server.ts'

const FOLDER = join(import.meta.dirname, '../mail/odd')
/** The head of a mail that begins with a header. */
const headOf = (source: string) => (/^[\w-]+:/.test(source) ? source.split(/\r?\n\r?\n/)[0]! : '')

const FILES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.eml'))

test('every odd mail can be listed, read, shown and searched, with all its parts', async () => {
  const { compatUrl, sendMail } = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  const client = new MailpitClient(compatUrl)
  const envelope = { from: 'app@shop.example', to: 'anna@shop.example' }
  await inGroups(FILES, 10, (name) => sendMail({ envelope, raw: readFileSync(join(FOLDER, name)) }))
  const { messages } = await client.waitForMessages({ count: FILES.length, limit: 0 }, { timeout: 60_000 })
  expect(messages).toHaveLength(FILES.length)
  await inGroups(messages, 10, async ({ ID }) => {
    const message = await client.getMessageSummary(ID)
    const headers = await client.getMessageHeaders(ID)
    const source = await client.getMessageSource(ID)
    expect(source.length).toBeGreaterThan(0)
    // Each header of the source, and no other one but those that Mailpit adds.
    const { 'Return-Path': _, Bcc: __, ...received } = headers
    for (const name of Object.keys(received)) expect(source.toLowerCase()).toContain(name.toLowerCase())
    expect(!/^subject:/im.test(headOf(source)) || 'Subject' in headers, source).toBe(true)
    expect(await client.renderMessageText(ID)).toBe(message.Text)
    if (message.HTML !== '') await client.renderMessageHTML(ID)
    for (const { PartID, Size, Checksums } of [...message.Inline, ...message.Attachments]) {
      expect((await client.getMessageAttachment(ID, PartID)).size).toBe(Size)
      expect(Checksums.MD5).toMatch(/^[0-9a-f]{32}$/)
    }
  })
  expect((await client.searchMessages({ query: '-zzzzzz -is:tagged' })).messages_count).toBeGreaterThan(0)
})
