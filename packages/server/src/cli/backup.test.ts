import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createCommands } from '../../test/support/in-process.ts'
import { serveIn, startServer, temporaryFolder } from '../../test/support/server.ts'
import { createShell } from '../../test/support/shell.ts'
import { unprocessedMail } from '../../test/support/stored-mail.ts'

test('a backup taken while mail arrives is consistent, and a server starts on it', async () => {
  const { dataDir, apiKey, sendMail, sdk } = await startServer()
  const folder = temporaryFolder()
  const shell = createShell(folder, { DATA_DIR: dataDir })
  await sendMail({ to: 'qa@mailhatch.test', subject: 'before' })
  await sdk.messages.waitFor({ subject: 'before' })
  const copying = shell.run('mailhatch backup --to copy')
  let isOver = false
  void copying.finally(() => (isOver = true))
  for (let number = 1; !isOver; number++) await sendMail({ to: 'qa@mailhatch.test', subject: `during ${number}` })
  expect(await copying).toMatchObject({ code: 0, stderr: '' })
  const names = readdirSync(join(folder, 'copy'))
  expect(names).toEqual(expect.arrayContaining(['api-key', 'inbox.db', 'mailhatch.db', 'secrets.json']))
  for (const name of names) expect(statSync(join(folder, 'copy', name)).mode & 0o777).toBe(0o600)

  const restored = await serveIn(join(folder, 'copy'), {})
  onTestFinished(() => restored.close())
  // Mail that was copied before its announcement is announced now.
  await vi.waitUntil(() => unprocessedMail(join(folder, 'copy', 'inbox.db')).length === 0)
  const copy = new Mailhatch({ url: `http://127.0.0.1:${restored.apiPort}`, apiKey })
  const subjects: string[] = []
  for await (const { id, subject } of copy.messages.list({ mailbox: 'qa' })) {
    expect(new TextDecoder().decode(await copy.messages.raw(id))).toContain(`Subject: ${subject}`)
    subjects.push(subject)
  }
  expect(subjects).toContain('before')
  // No gaps: the copy is a snapshot of one moment.
  expect(subjects.toReversed()).toEqual(['before', ...subjects.slice(1).map((_, index) => `during ${index + 1}`)])
})

test('an existing folder is replaced only with --yes, and a missing database is an error', async () => {
  const { dataDir } = await startServer()
  const folder = temporaryFolder()
  const commands = createCommands(folder, { DATA_DIR: dataDir })
  expect(await commands.run('mailhatch backup --to copy')).toMatchObject({ code: 0 })
  const again = await commands.run('mailhatch backup --to copy')
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('add --yes to replace it')])
  expect(await commands.run('mailhatch backup --to copy --yes')).toMatchObject({ code: 0 })
  const nothing = await commands.run('mailhatch backup --to other', { DATA_DIR: join(folder, 'none') })
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('There is no database in')])
})

test('an incomplete backup says what is missing, and with PostgreSQL it needs --bucket-only', async () => {
  const { dataDir } = await startServer()
  const folder = temporaryFolder()
  const commands = createCommands(folder, { DATA_DIR: dataDir })
  const postgres = { MAILHATCH_DATABASE_URL: 'postgres://localhost/mailhatch' }
  const refused = await commands.run('mailhatch backup --to copy', postgres)
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/Messages, teams, users and keys are in PostgreSQL .* pg_dump.* add --bucket-only/),
  ])
  expect(existsSync(join(folder, 'copy'))).toBe(false)

  const wanted = await commands.run('mailhatch backup --to copy --bucket-only', postgres)
  expect([wanted.code, wanted.stdout]).toEqual([0, expect.stringMatching(/inbox\.db.*pg_dump/s)])
  expect(readdirSync(join(folder, 'copy'))).not.toContain('mailhatch.db')

  const raw = await commands.run('mailhatch backup --to raw --json', { INBOX_STORAGE: 'file:/srv/mail' })
  const { databases, notContained } = JSON.parse(raw.stdout) as { databases: string[]; notContained: string[] }
  expect([raw.code, databases, notContained]).toEqual([
    0,
    ['mailhatch.db'],
    [expect.stringContaining('Raw mail is in /srv/mail')],
  ])

  // Control: a complete backup lacks nothing.
  const whole = await commands.run('mailhatch backup --to whole --json')
  expect([whole.code, JSON.parse(whole.stdout)]).toEqual([0, expect.objectContaining({ notContained: [] })])

  const nothing = { ...postgres, DATA_DIR: join(folder, 'none') }
  const elsewhere = await commands.run('mailhatch backup --to other --bucket-only', nothing)
  expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringMatching(/no raw mail in .*pg_dump/s)])
})
