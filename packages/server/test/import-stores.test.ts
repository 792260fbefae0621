import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Mailhatch } from '@mailhatch/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startForImport, untilCounted } from './support/import-commands.ts'
import {
  addMailpitMail,
  createMailpitTables,
  writeEml,
  writeMailDev,
  writeMaildir,
  writeMailHog,
  writeMailpit,
  writeMbox,
  type MailToStore,
} from './support/mail-stores.ts'

const START = Date.parse('2026-01-05T10:00:00Z')

/** Mail with bytes that a careless reader changes, in the order of arrival. */
const MAILS = ['Hello', 'From here on\r\n>From there\r\n>>From far', '.\r\n..', 'Gr\xfc\xdfe \0 \x80'].map(
  (body, index) => stored(`mail-${9 - index}`, body, { to: [`qa+${index}@mailhatch.test`], at: START + index * 1000 }),
)

function stored(id: string, body: string, { to, at = START }: { to: string[]; at?: number }): MailToStore {
  const headers = ['From: App <app@shop.example>', `To: ${to.join(', ')}`, `Subject: ${id}`]
  return { id, raw: Buffer.from([...headers, '', body, ''].join('\r\n'), 'latin1'), from: 'app@shop.example', to, at }
}

async function expectStored(sdk: Mailhatch, mails: MailToStore[]): Promise<void> {
  for (const { id, raw, to } of mails) {
    for (const address of to) {
      const found = await sdk.messages.waitFor({ mailbox: address, subject: id })
      expect(Buffer.from(await sdk.messages.raw(found.id)).toString('latin1')).toBe(raw.toString('latin1'))
      expect(found).toMatchObject({ to: address, from: expect.stringContaining('app@shop.example') })
    }
  }
}

const STORES: Record<string, { kind: string; write: (path: string, mails: MailToStore[]) => void }> = {
  'a Mailpit database': { kind: 'mailpit', write: writeMailpit },
  'a Mailpit database without compression': {
    kind: 'mailpit',
    write: (path, mails) => writeMailpit(path, mails, { isCompressed: false }),
  },
  'a Mailpit database of before version 1.23': {
    kind: 'mailpit',
    write: (path, mails) => writeMailpit(path, mails, { isOld: true }),
  },
  'a Mailpit database with a tenant': {
    kind: 'mailpit',
    write: (path, mails) => writeMailpit(path, mails, { tenant: 'shop_' }),
  },
  'a Mailpit dump': { kind: 'mailpit', write: writeEml },
  'a MailHog folder': { kind: 'mailhog', write: writeMailHog },
  'a MailDev folder': { kind: 'maildev', write: writeMailDev },
  'a maildir': { kind: 'eml', write: writeMaildir },
  'an mbox file': { kind: 'mbox', write: writeMbox },
  'a folder of .eml files': { kind: 'eml', write: writeEml },
}

describe.each(Object.entries(STORES))('%s', (_, { kind, write }) => {
  test('is recognised and imported byte for byte, once', async () => {
    const { folder, importInto, sdk } = await startForImport()
    write(join(folder, 'empty'), [])
    expect(await importInto('empty')).toEqual({ code: 0, imported: 0, duplicates: 0, failed: 0, problems: [] })
    write(join(folder, 'store'), MAILS)
    const dry = await importInto('store --dry-run')
    expect(dry).toEqual({ code: 0, imported: 4, duplicates: 0, failed: 0, problems: [], dryRun: true })
    expect(await importInto('store')).toEqual({ code: 0, imported: 4, duplicates: 0, failed: 0, problems: [] })
    // At once, because the first ends when its mail is visible.
    expect(await importInto('store')).toMatchObject({ code: 0, imported: 0, duplicates: 4 })
    await expectStored(sdk, MAILS)
    await untilCounted(sdk, 4)
    expect(await importInto(`store --from ${kind}`)).toMatchObject({ code: 0, imported: 0, duplicates: 4 })
    expect(await importInto('store --to all@mailhatch.test')).toMatchObject({ code: 0, imported: 4 })
    await untilCounted(sdk, 8)
  })
})

test('the recipients are those of the store, also on other domains if the server catches them', async () => {
  const blind = {
    ...stored('blind', 'Hidden', { to: ['list@shop.example'] }),
    to: ['anna@gmail.com', 'qa@mailhatch.test'],
  }
  const strict = await startForImport()
  writeMailpit(join(strict.folder, 'mailpit.db'), [blind])
  writeMailHog(join(strict.folder, 'mailhog'), [{ ...blind, raw: Buffer.concat([blind.raw, Buffer.from('2\r\n')]) }])
  expect(await strict.importInto('mailpit.db mailhog')).toMatchObject({ code: 0, imported: 2 })
  await untilCounted(strict.sdk, 2)
  const { data } = await strict.sdk.messages.list()
  expect(data.map(({ to }) => to)).toEqual(['qa@mailhatch.test', 'qa@mailhatch.test'])
  expect(await strict.commands.run('mailhatch import mailhog --to anna@gmail.com')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Your team does not receive the mail for anna@gmail.com.'),
  })

  const catching = await startForImport({ INBOX_CATCH_ALL: 'bootstrap' })
  expect(await catching.importInto(join(strict.folder, 'mailpit.db'))).toMatchObject({ code: 0, imported: 1 })
  await untilCounted(catching.sdk, 2)
  await expectStored(catching.sdk, [blind])
})

test('a Mailpit database is read while Mailpit writes to it', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const database = new DatabaseSync(join(folder, 'mailpit.db'))
  onTestFinished(() => database.close())
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0')
  createMailpitTables(database)
  addMailpitMail(database, MAILS[0]!)
  database.exec('begin immediate')
  addMailpitMail(database, MAILS[1]!)
  expect(await importInto('mailpit.db')).toMatchObject({ code: 0, imported: 1, failed: 0 })
  database.exec('commit')
  expect(await importInto('mailpit.db')).toMatchObject({ code: 0, imported: 1, duplicates: 1 })
  await expectStored(sdk, MAILS.slice(0, 2))
})

test('without an envelope, headers of the delivery win over To and Cc', async () => {
  const { folder, importInto, sdk } = await startForImport()
  const mail = stored('list', 'Hello', { to: ['all@mailhatch.test'] })
  const delivered = Buffer.concat([Buffer.from('Delivered-To: anna@mailhatch.test\r\n'), mail.raw])
  writeMailDev(join(folder, 'store'), [{ ...mail, raw: delivered }])
  expect(await importInto('store')).toMatchObject({ code: 0, imported: 1 })
  await expectStored(sdk, [{ ...mail, raw: delivered, to: ['anna@mailhatch.test'] }])
})

test('mail is sent in the order of its arrival, in groups', async () => {
  const { folder, importInto, sdk } = await startForImport()
  // The names are in the opposite order.
  const mails = Array.from({ length: 40 }, (_, index) =>
    stored(`mail-${99 - index}`, 'Hello', { to: ['qa@mailhatch.test'], at: START + index * 1000 }),
  )
  writeMailHog(join(folder, 'store'), mails)
  expect(await importInto('store')).toMatchObject({ code: 0, imported: 40 })
  await untilCounted(sdk, 40)
  const { data } = await sdk.messages.list({ limit: 40 })
  const subjects = data.map(({ subject }) => subject).reverse()
  const groups = Array.from({ length: 5 }, (_, index) =>
    subjects
      .slice(index * 8, (index + 1) * 8)
      .sort()
      .reverse(),
  )
  expect(groups.flat()).toEqual(mails.map(({ id }) => id))
})
