import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TestClient } from '../worker/smtp/test-kit.ts'
import { announcement, post } from '../../test/support/announce.ts'
import { startForImport as start, untilCounted } from '../../test/support/import-commands.ts'
import { seededRandom, type SeededRandom } from '../../test/support/seeded-random.ts'

const SEED = 17

/** Mail that lacks what one expects of mail, or looks like something else. */
const ODD_MAILS = [
  'Subject: Only a subject\r\n\r\nHello\r\n',
  'To: qa@mailhatch.test\r\nMessage-ID:\r\n\r\nAn empty id\r\n',
  'Message-ID: <same@x>\r\nMessage-ID: <other@x>\r\n\r\nTwo ids\r\n',
  'Message-ID:\r\n <folded@x>\r\n\r\nA folded id\r\n',
  'From app Mon Jan  5 2026\r\n\r\nLooks like an mbox file\r\n\r\nFrom two\r\n',
  'No headers, and no line end',
  'A bare\nline feed\n',
  'A lone\rreturn\r',
  'To: ada@corp.example\r\n\r\nFor another domain\r\n',
  '\r\n',
  '\r\n\r\n\r\n',
  '.\r\n..\r\n.\r\n',
]

/** Some headers, in any order, with any line end. */
function drawMail(random: SeededRandom): string {
  const end = random.pick(['\r\n', '\n'])
  const headers = [
    'From: app@shop.example',
    'To: qa@mailhatch.test',
    'Subject: Old',
    'Date: yesterday',
    'Message-ID: <a@x>',
    'Broken',
  ]
  const some = headers.filter(() => random.chance(0.5))
  const body = Array.from({ length: random.below(4) }, () =>
    random.pick(['', '.', 'From x', '>From x', 'Gr\xfc\xdfe\0', 'x'.repeat(1_200)]),
  )
  return [...some, '', ...body].join(end) + (random.chance(0.7) ? end : '')
}

function mail(id: string | null, to: string): string {
  const lines = ['From: app@shop.example', `To: ${to}`, 'Subject: Old', ...(id === null ? [] : [`Message-ID: <${id}>`])]
  return [...lines, '', 'Grüße\u0000 . ', '.', '..', 'end', ''].join('\r\n')
}

test('an export can be imported byte for byte to the same addresses, and only once', async () => {
  const first = await start()
  for (const name of ['one', 'two', 'three']) {
    await first.sendMail({ to: [`qa+${name}@mailhatch.test`, 'all@mailhatch.test'], subject: name, text: `.\n${name}` })
  }
  await untilCounted(first.sdk, 6)
  expect(await first.commands.run('mailhatch export --dir mails')).toMatchObject({ code: 0, stderr: '' })

  const second = await start()
  const mails = join(first.folder, 'mails')
  expect(await second.importInto(mails)).toEqual({ code: 0, imported: 6, duplicates: 0, failed: 0, problems: [] })
  await untilCounted(second.sdk, 6)
  expect(await second.importInto(mails)).toEqual({ code: 0, imported: 0, duplicates: 6, failed: 0, problems: [] })
  const { data } = await first.sdk.messages.list()
  for (const { id, to, subject } of data) {
    const copy = await second.sdk.messages.waitFor({ mailbox: to, subject })
    expect(copy.to).toBe(to)
    expect(Buffer.from(await second.sdk.messages.raw(copy.id))).toEqual(readFileSync(join(mails, `${id}.eml`)))
  }
  expect((await second.sdk.me()).messageCount).toBe(6)
})

test('a repeated export fetches only new messages', async () => {
  const { commands, folder, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'one' })
  const { id } = await sdk.messages.waitFor({ subject: 'one' })
  await commands.run('mailhatch export --dir mails')
  writeFileSync(join(folder, 'mails', `${id}.eml`), 'kept')
  await sendMail({ to: 'qa@mailhatch.test', subject: 'two' })
  await sdk.messages.waitFor({ subject: 'two' })
  const { stdout } = await commands.run('mailhatch export --dir mails')
  expect(JSON.parse(stdout)).toEqual({ dir: 'mails', messages: 2, withoutRaw: 0 })
  expect(readFileSync(join(folder, 'mails', `${id}.eml`), 'utf8')).toBe('kept')
  const index: unknown = JSON.parse(readFileSync(join(folder, 'mails', 'index.json'), 'utf8'))
  expect(index).toMatchObject({ messages: [{ subject: 'two' }, { id, subject: 'one', file: `${id}.eml` }] })
})

test('an mbox file, and mail for another domain', async () => {
  const { folder, importInto, sdk } = await start()
  const mails = [mail('a@x', 'qa@mailhatch.test'), mail('b@x', 'ada@corp.example'), mail(null, 'qa@mailhatch.test')]
  writeFileSync(join(folder, 'archive'), mails.map((one) => `From app@shop.example Mon\r\n${one}\r\n`).join(''))
  expect(await importInto('archive')).toEqual({
    code: 1,
    imported: 2,
    duplicates: 0,
    failed: 1,
    problems: ['archive (mail 2): no recipient at mailhatch.test; pass --to, or start the server with --catch-all'],
  })
  expect(await importInto('archive --to ada@mailhatch.test')).toMatchObject({ code: 0, imported: 3, duplicates: 0 })
  await untilCounted(sdk, 5)
  expect(await importInto('archive --to ada@mailhatch.test')).toMatchObject({ code: 0, imported: 0, duplicates: 3 })
  expect(await importInto('archive --to ada@mailhatch.test --duplicates')).toMatchObject({ imported: 3, duplicates: 0 })
  await untilCounted(sdk, 8)
})

test('different mail with the same Message-ID is imported; the same mail twice is not', async () => {
  const { folder, importInto, sdk } = await start()
  const one = mail('same@x', 'qa@mailhatch.test')
  writeFileSync(join(folder, 'one.eml'), one)
  writeFileSync(join(folder, 'two.eml'), one.replace('Subject: Old', 'Subject: New'))
  writeFileSync(join(folder, 'three.eml'), one.replaceAll('\r\n', '\n'))
  expect(await importInto('one.eml two.eml three.eml')).toMatchObject({ code: 0, imported: 2, duplicates: 1 })
  await untilCounted(sdk, 2)
})

test('an export imported into the same server adds nothing, whatever the mail lacks', async () => {
  const { commands, importInto, sdk, smtpPort, url, folder: own } = await start({ INBOX_CATCH_ALL: 'bootstrap' })
  const random = seededRandom(SEED)
  const mails = [...ODD_MAILS, ...Array.from({ length: 20 }, () => drawMail(random))]
  const client = await TestClient.connectWithHello(smtpPort)
  // Each twice, because equal mail is two messages.
  for (const [index, raw] of [...mails, ...mails].entries()) {
    const to = ['qa@mailhatch.test', 'QA+Tag@Mailhatch.test', 'anna@gmail.com'][index % 3]!
    await client.begin([to])
    // In chunks, which keep every byte.
    expect(await client.chunk(Buffer.from(raw, 'latin1'), true)).toMatch(/^250 /)
  }
  // A message whose raw mail is not on this server.
  await post(url, announcement({ domain: 'mailhatch.test', mailbox: 'announced' }))
  const count = 2 * mails.length + 1
  await untilCounted(sdk, count)
  expect(await commands.run('mailhatch export --dir mails')).toMatchObject({ code: 0, stderr: '' })
  const found = await importInto('mails')
  expect({ seed: SEED, ...found }).toEqual({
    seed: SEED,
    code: 0,
    imported: 0,
    duplicates: count - 1,
    failed: 0,
    problems: [],
  })
  // The folder of a second export with another filter, whose index lists less than there are files.
  expect(await commands.run('mailhatch export --dir mails --mailbox announced')).toMatchObject({ code: 0 })
  expect(await importInto('mails')).toMatchObject({ code: 0, imported: 0, problems: [] })
  expect((await sdk.me()).messageCount).toBe(count)

  // Control: on another server, all are new once, and none the second time.
  const other = await start({ INBOX_CATCH_ALL: 'bootstrap' })
  await commands.run('mailhatch export --dir mails')
  expect(await other.importInto(join(own, 'mails'))).toMatchObject({ imported: count - 1, duplicates: 0, failed: 0 })
  await untilCounted(other.sdk, count - 1)
  expect(await other.importInto(join(own, 'mails'))).toMatchObject({ imported: 0, duplicates: count - 1 })
})

test('missing files, and an unreachable server', async () => {
  const { commands, folder } = await start()
  expect(await commands.run('mailhatch import nothing.eml')).toMatchObject({ code: 1, stdout: '' })
  writeFileSync(join(folder, 'mail.eml'), mail('a@x', 'qa@mailhatch.test'))
  const away = await commands.run('mailhatch import mail.eml --smtp 127.0.0.1:1')
  expect([away.code, JSON.parse(away.stderr)]).toMatchObject([5, { error: { category: 'network' } }])
})
