import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mailhatch } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { startServer, temporaryFolder } from '../../test/support/server.ts'
import { createShell } from '../../test/support/shell.ts'

type Result = { imported: number; duplicates: number; problems: string[] }

async function start() {
  const folder = temporaryFolder()
  const server = await startServer()
  const shell = createShell(folder, {
    MAILHATCH_URL: server.url,
    MAILHATCH_API_KEY: server.apiKey,
    MAILHATCH_SMTP: `127.0.0.1:${server.smtpPort}`,
  })
  const importInto = async (words: string): Promise<Result & { code: number | null }> => {
    const { code, stdout } = await shell.run(`mailhatch import ${words}`)
    return { code, ...(JSON.parse(stdout) as Result) }
  }
  return { ...server, folder, shell, importInto }
}

/** Accepted mail becomes a message with a short delay. */
async function untilCounted(sdk: Mailhatch, count: number): Promise<void> {
  await expect.poll(async () => (await sdk.me()).messageCount).toBe(count)
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
  expect(await first.shell.run('mailhatch export --dir mails')).toMatchObject({ code: 0, stderr: '' })

  const second = await start()
  const mails = join(first.folder, 'mails')
  expect(await second.importInto(mails)).toEqual({ code: 0, imported: 6, duplicates: 0, problems: [] })
  await untilCounted(second.sdk, 6)
  expect(await second.importInto(mails)).toEqual({ code: 0, imported: 0, duplicates: 6, problems: [] })
  const { data } = await first.sdk.messages.list()
  for (const { id, to, subject } of data) {
    const copy = await second.sdk.messages.waitFor({ mailbox: to, subject })
    expect(copy.to).toBe(to)
    expect(Buffer.from(await second.sdk.messages.raw(copy.id))).toEqual(readFileSync(join(mails, `${id}.eml`)))
  }
  expect((await second.sdk.me()).messageCount).toBe(6)
})

test('a repeated export fetches only new messages', async () => {
  const { shell, folder, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'one' })
  const { id } = await sdk.messages.waitFor({ subject: 'one' })
  await shell.run('mailhatch export --dir mails')
  writeFileSync(join(folder, 'mails', `${id}.eml`), 'kept')
  await sendMail({ to: 'qa@mailhatch.test', subject: 'two' })
  await sdk.messages.waitFor({ subject: 'two' })
  const { stdout } = await shell.run('mailhatch export --dir mails')
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
    problems: ['archive: no recipient at mailhatch.test; pass --to'],
  })
  // Without a Message-ID, a duplicate cannot be detected.
  expect(await importInto('archive --to ada@mailhatch.test')).toMatchObject({ code: 0, imported: 3, duplicates: 0 })
  await untilCounted(sdk, 5)
  expect(await importInto('archive --to ada@mailhatch.test')).toMatchObject({ code: 0, imported: 1, duplicates: 2 })
  await untilCounted(sdk, 6)
})

test('missing files, and an unreachable server', async () => {
  const { shell, folder } = await start()
  expect(await shell.run('mailhatch import nothing.eml')).toMatchObject({ code: 1, stdout: '' })
  writeFileSync(join(folder, 'mail.eml'), mail('a@x', 'qa@mailhatch.test'))
  const away = await shell.run('mailhatch import mail.eml --smtp 127.0.0.1:1')
  expect([away.code, JSON.parse(away.stderr)]).toMatchObject([5, { error: { category: 'network' } }])
})
