import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { createCommands } from '../../test/support/in-process.ts'
import { startServer, temporaryFolder } from '../../test/support/server.ts'

type Sent = { ids: string[]; reply: string; accepted: string[]; rejected: string[] }

async function start(environment: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const server = await startServer(environment)
  const commands = createCommands(folder, {
    MAILHATCH_URL: server.url,
    MAILHATCH_API_KEY: server.apiKey,
    MAILHATCH_SMTP: `127.0.0.1:${server.smtpPort}`,
  })
  const send = async (words: string): Promise<Sent> => {
    const { code, stdout, stderr } = await commands.run(`mailhatch send ${words}`)
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout) as Sent
  }
  return { ...server, folder, commands, send }
}

test('a test mail has the given content, one message per recipient, and prints their ids', async () => {
  const { send, folder, sdk } = await start()
  writeFileSync(join(folder, 'terms.txt'), 'Be nice.')
  const mail =
    '--subject Grüße --text "Your code is 482913." --html "<b>Hi</b>" --attach terms.txt --from ada@corp.example'
  const { ids, reply } = await send(`--to qa+1@mailhatch.test --to ops@mailhatch.test ${mail}`)
  expect(reply).toMatch(/^250 /)
  const emails = await Promise.all(ids.map((id) => sdk.messages.get(id)))
  expect(emails.map(({ to }) => to)).toEqual(['qa+1@mailhatch.test', 'ops@mailhatch.test'])
  for (const email of emails) {
    expect(email).toMatchObject({
      subject: 'Grüße',
      from: 'ada@corp.example',
      attachments: [{ filename: 'terms.txt' }],
    })
    expect([email.code(), email.html]).toEqual(['482913', expect.stringContaining('<b>Hi</b>')])
  }
})

test('without --text, the mail contains a code', async () => {
  const { send, sdk } = await start()
  const { ids } = await send('--to qa@mailhatch.test')
  expect((await sdk.messages.get(ids[0]!)).code()).toMatch(/^\d{6}$/)
})

test('a file is sent unchanged, to the recipients in it', async () => {
  const { send, folder, sdk } = await start()
  const raw =
    'From: Ada <ada@corp.example>\r\nTo: QA <qa@mailhatch.test>, ops@mailhatch.test\r\nX-Odd:  as  is \r\n\r\n.\r\nÄ\r\n'
  writeFileSync(join(folder, 'mail.eml'), raw)
  const { ids, accepted } = await send('mail.eml')
  expect(accepted).toEqual(['qa@mailhatch.test', 'ops@mailhatch.test'])
  expect(new TextDecoder().decode(await sdk.messages.raw(ids[0]!))).toBe(raw)
  expect(ids).toHaveLength(2)
})

test('without a key, the SMTP reply is printed', async () => {
  const { commands } = await start()
  const { code, stdout } = await commands.run('mailhatch send --to qa@mailhatch.test', { MAILHATCH_API_KEY: '' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ids: [], reply: '250 2.0.0 Stored' })
})

test('rejected mail, and an unreachable server', async () => {
  const { commands } = await start({ SMTP_ALLOWED_DOMAINS: 'mailhatch.test' })
  const refused = await commands.run('mailhatch send --to qa@elsewhere.test')
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stderr)).toMatchObject({
    error: { message: expect.stringContaining('550 5.7.1'), code: 'smtp_refused', retryable: false },
  })
  const away = await commands.run(`mailhatch send --to qa@mailhatch.test --smtp 127.0.0.1:${await freePort()}`)
  expect([away.code, JSON.parse(away.stderr)]).toMatchObject([5, { error: { category: 'network' } }])
  expect((await commands.run('mailhatch send')).code).toBe(2)
})

test('mail to a domain without a team: send, doctor and a timeout say where it is and what to do', async () => {
  const { commands, sendMail, send, sdk } = await start()
  // Control: mail to the team's own domain needs no remark.
  expect((await send('--to qa@mailhatch.test')).ids).toHaveLength(1)
  const healthy = await commands.run('mailhatch doctor')
  expect(healthy.stdout).toContain('no mail was refused in the last hour')

  await sendMail({ to: 'anna@gmail.com', subject: 'Welcome', text: 'Your code is 482913.' })
  await expect.poll(() => sdk.rejections.list()).toHaveLength(1)
  const [sent, doctor, wait] = await Promise.all([
    commands.run('mailhatch send --to bob@corp.example'),
    commands.run('mailhatch doctor'),
    commands.run('mailhatch wait --to anna@gmail.com --timeout 1s'),
  ])
  const remedy =
    /no team has the domain: read it in the dashboard under “Other addresses”, or start the server with --catch-all/
  expect([sent.code, JSON.parse(sent.stdout)]).toMatchObject([0, { ids: [], accepted: ['bob@corp.example'] }])
  expect(JSON.parse(sent.stderr)).toMatchObject({
    note: { code: 'inbox_domain_unknown', to: 'bob@corp.example', message: expect.stringMatching(remedy) },
  })
  type Finding = { check: string; state: string; says: string }
  const { findings } = JSON.parse(doctor.stdout) as { findings: Finding[] }
  const finding = findings.find(({ check }) => check === 'refusals')
  expect(finding).toMatchObject({ state: 'warn', says: expect.stringMatching(remedy) })
  expect(finding!.says).toContain('gmail.com')
  expect(JSON.parse(wait.stderr)).toMatchObject({
    error: { message: expect.stringMatching(/“Other addresses”.*`serve --catch-all`:\n {2}to anna@gmail\.com from/) },
  })
})
