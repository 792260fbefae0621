import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MAIL_BYTES_MAX } from '../../src/cli/import/stored-mail.ts'
import { startForImport, untilCounted } from '../support/import-commands.ts'
import { addMailpitMail, createMailpitTables, writeMailHog, writeMailpit, writeMbox } from '../support/mail-stores.ts'

const GOOD = mailTo(['qa@mailhatch.test'])

function mailTo(to: string[], id = 'good') {
  const raw = Buffer.from(`From: app@shop.example\r\nTo: ${to.join(', ')}\r\nSubject: ${id}\r\n\r\nHello\r\n`)
  return { id, raw, from: 'app@shop.example', to, at: 0 }
}

function addresses(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `user${index}@mailhatch.test`)
}

test('broken messages of a Mailpit database are reported, and the others imported', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const path = join(folder, 'mailpit.db')
  const database = new DatabaseSync(path)
  createMailpitTables(database)
  for (const id of ['good', 'lost', 'garbage', 'bomb', 'null', 'odd-metadata'])
    addMailpitMail(database, { ...GOOD, id })
  const change = database.prepare('update mailbox_data set Email = ? where ID = ?')
  database.exec(`delete from mailbox_data where ID = 'lost'`)
  change.run(Buffer.from('not compressed'), 'garbage')
  change.run(zstdCompressSync(Buffer.alloc(MAIL_BYTES_MAX + 1)), 'bomb')
  change.run(null, 'null')
  // The headers name the recipient. The content is not that of the first one.
  change.run(zstdCompressSync(Buffer.concat([GOOD.raw, Buffer.from('2\r\n')])), 'odd-metadata')
  database.exec(`update mailbox set Metadata = '{"To":"qa"' where ID = 'odd-metadata'`)
  database.close()
  expect(await importInto('mailpit.db')).toMatchObject({
    code: 1,
    imported: 2,
    failed: 4,
    problems: [
      'mailpit.db (lost): the database has no content for this message',
      expect.stringMatching(/^mailpit\.db \(garbage\): broken content: /),
      'mailpit.db (bomb): larger than 128 MiB',
      'mailpit.db (null): the message is empty',
    ],
  })
  await untilCounted(sdk, 2)
})

test('a damaged database, another one, and files that are no mail', async () => {
  const { folder, commands, importInto, sdk } = await startForImport()
  const at = (name: string) => join(folder, name)
  writeMailpit(at('cut.db'), [GOOD, ...Array.from({ length: 200 }, (_, index) => ({ ...GOOD, id: `${index}` }))])
  truncateSync(at('cut.db'), 8 * 4096)
  new DatabaseSync(at('other.db')).exec('create table mailbox (ID)')
  writeFileSync(at('photo.jpg'), Buffer.from([0xff, 0xd8, 0xff]))
  mkdirSync(at('photos'))
  writeFileSync(join(at('photos'), 'photo.jpg'), 'x')
  const taken = 'Mailhatch imports a Mailpit database or dump,'
  for (const name of ['other.db', 'photo.jpg', 'photos']) {
    const { code, stderr } = await commands.run(`mailhatch import ${name}`)
    expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining(taken)])
  }
  const cut = await commands.run('mailhatch import cut.db')
  expect([cut.code === 0, cut.stdout + cut.stderr]).toEqual([false, expect.stringContaining('malformed')])
  const wrong = await commands.run('mailhatch import photo.jpg --from outlook')
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('mailpit, mailhog, maildev, mbox, eml')])
  writeFileSync(at('empty.eml'), '')
  expect(await importInto('photo.jpg --from mbox')).toMatchObject({
    code: 1,
    problems: ['photo.jpg: not an mbox file: it does not start with “From ”'],
  })
  expect(await importInto('photo.jpg --from mailhog')).toMatchObject({
    code: 1,
    problems: [expect.stringContaining('photo.jpg: not a mail of MailHog')],
  })
  expect(await importInto('empty.eml')).toMatchObject({ code: 1, problems: ['empty.eml: the file is empty'] })
  expect((await sdk.me()).messageCount).toBe(0)
})

test('links and special files in a folder are ignored', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const store = join(folder, 'store')
  writeMailHog(store, [GOOD])
  writeFileSync(join(folder, 'secret.eml'), GOOD.raw)
  mkdirSync(join(folder, 'elsewhere'))
  writeFileSync(join(folder, 'elsewhere', 'mail.eml'), GOOD.raw)
  symlinkSync('../secret.eml', join(store, 'link.eml'))
  symlinkSync('../elsewhere', join(store, 'folder'))
  symlinkSync('.', join(store, 'loop'))
  execFileSync('mkfifo', [join(store, 'pipe.eml')])
  expect(await importInto('store')).toMatchObject({ code: 0, imported: 1, duplicates: 0 })
  await untilCounted(sdk, 1)
  // A link that the user names is followed.
  expect(await importInto('store/link.eml --to other@mailhatch.test')).toMatchObject({ code: 0, imported: 1 })
  await untilCounted(sdk, 2)
})

test('mail that the server or the command finds too large', async () => {
  const { folder, importInto, sdk } = await startForImport({ SMTP_MAX_SIZE: '4096' })
  const large = { ...GOOD, id: 'large', raw: Buffer.concat([GOOD.raw, Buffer.alloc(6000, 'x\r\n')]) }
  writeMbox(join(folder, 'store'), [large, GOOD])
  writeFileSync(join(folder, 'sparse.eml'), 'From: a@b.c\r\n')
  truncateSync(join(folder, 'sparse.eml'), MAIL_BYTES_MAX + 1)
  expect(await importInto('store sparse.eml')).toMatchObject({
    code: 1,
    imported: 1,
    problems: ['store (mail 1): 552 5.3.4 Mail exceeds the size limit', 'sparse.eml: larger than 128 MiB'],
  })
  await untilCounted(sdk, 1)
})

test('many recipients, none, and addresses that are none', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const mails = [
    mailTo(addresses(10_000), 'headers'),
    { ...GOOD, id: 'envelope', to: addresses(10_000) },
    { ...GOOD, id: 'none', to: [] },
    { ...GOOD, id: 'odd', to: ['a>\r b@mailhatch.test', 'a@gmail.com,qa@mailhatch.test', 'no-at'] },
    { ...GOOD, id: 'several', to: addresses(250) },
  ].map((mail, index) => ({ ...mail, at: index * 1000 }))
  writeMailHog(join(folder, 'mailhog'), mails)
  writeFileSync(join(folder, 'headers.eml'), mails[0]!.raw)
  writeFileSync(join(folder, 'none.eml'), 'Subject: none\r\n\r\nHello\r\n')
  const { problems, ...counts } = await importInto('mailhog headers.eml none.eml')
  expect(counts).toEqual({ code: 1, imported: 1, duplicates: 0, failed: 6 })
  expect(problems.map((line) => line.replace(/^.*: (?=\w)/, ''))).toEqual([
    'more than 1000 recipients; pass --to',
    'more than 1000 recipients; pass --to',
    'no recipient; pass --to',
    'no recipient; pass --to',
    'headers too long to find all recipients (at most 1000 headers, each of 64 KiB); pass --to',
    'no recipient; pass --to',
  ])
  await untilCounted(sdk, 250)
  expect(await importInto('none.eml headers.eml --to qa@mailhatch.test')).toMatchObject({ code: 0, imported: 2 })
  await untilCounted(sdk, 252)
})

test('headers without end, nested brackets and quotes', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const bombs = {
    lines: `${'X-Fill: y\r\n'.repeat(200_000)}To: qa@mailhatch.test\r\n\r\nHello\r\n`,
    brackets: `To: ${'<'.repeat(500_000)}qa@mailhatch.test\r\n\r\nHello\r\n`,
    groups: `To: ${'a:'.repeat(250_000)}qa@mailhatch.test;\r\n\r\nHello\r\n`,
    quotes: `To: ${'"\\'.repeat(250_000)}\r\n\r\nHello\r\n`,
    folds: `To: ${'\r\n '.repeat(250_000)}qa@mailhatch.test\r\n\r\nHello\r\n`,
  }
  for (const [name, raw] of Object.entries(bombs)) writeFileSync(join(folder, `${name}.eml`), raw)
  const { imported, failed } = await importInto('.')
  expect(imported + failed).toBe(5)
  // With a recipient, all are stored as they are.
  expect(await importInto('. --to all@mailhatch.test')).toMatchObject({ code: 0, imported: 5 })
  await untilCounted(sdk, imported + 5)
  for (const name of Object.keys(bombs)) {
    expect(await importInto(`${name}.eml --to all@mailhatch.test`)).toMatchObject({ duplicates: 1 })
  }
})
