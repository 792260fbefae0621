import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { createCommands } from '../../test/support/in-process.ts'
import { startServer, temporaryFolder } from '../../test/support/server.ts'
import { createShell } from '../../test/support/shell.ts'
import { createProgram } from './program.ts'

async function start() {
  const server = await startServer()
  const environment = { MAILHATCH_URL: server.url, MAILHATCH_API_KEY: server.apiKey }
  const folder = temporaryFolder()
  return { ...server, commands: createCommands(folder, environment), shell: createShell(folder, environment) }
}

test('it prints the requested part as soon as the mail arrives', async () => {
  const { commands, sendMail, sdk } = await start()
  const { cursor } = await sdk.me()
  const waiting = commands.run(
    `mailhatch wait --mailbox qa --subject verify --after ${cursor} --timeout 15s --print code`,
  )
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Newsletter', text: 'Your code is 111222.' })
  await sendMail({
    to: 'qa@mailhatch.test',
    subject: 'Verify',
    html: '<p>Your code is <b>482913</b>.</p> <a href="https://shop.example/verify?token=f3a1">Verify</a>',
  })
  expect(await waiting).toEqual({ code: 0, stdout: '482913\n', stderr: '' })
  const printed = async (part: string) => (await commands.run(`mailhatch wait --subject verify --print ${part}`)).stdout
  expect(await printed('link')).toBe('https://shop.example/verify?token=f3a1\n')
  expect(await printed('text')).toContain('Your code is 482913.')
  expect(JSON.parse(await printed('json'))).toMatchObject({ subject: 'Verify', codes: [{ value: '482913' }] })
})

test('without a start, it says how old an existing message is; --new and --after do not return it', async () => {
  const { commands, shell, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Old', text: 'Your code is 111222.' })
  await sdk.messages.waitFor({ subject: 'Old' })
  const old = await commands.run('mailhatch wait --to qa@mailhatch.test --print code')
  expect([old.code, old.stdout]).toEqual([0, '111222\n'])
  expect(JSON.parse(old.stderr)).toEqual({
    note: {
      code: 'message_existed',
      message: expect.stringMatching(/^This message already existed: it is \d+ (second|minute)s? old\. .*--new\.$/),
      receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  })
  const recent = await commands.run('mailhatch wait --to qa@mailhatch.test --since 1h --print code')
  expect(recent).toMatchObject({ stderr: '' })
  expect((await commands.run('mailhatch wait --new --to qa@mailhatch.test --timeout 300ms')).code).toBe(3)

  const waiting = shell.start('mailhatch wait --new --to qa@mailhatch.test --timeout 30s --print code')
  // Mail that is sent before the command has started does not count, so one mail is not enough.
  await expect
    .poll(
      async () => {
        await sendMail({ to: 'qa@mailhatch.test', subject: 'New', text: 'Your code is 482913.' })
        return waiting.output.stdout
      },
      { timeout: 30_000, interval: 200 },
    )
    .toBe('482913\n')
  expect(await waiting.ended).toEqual({ code: 0, stdout: '482913\n', stderr: '' })
})

test('address, send and wait by eval: the code of this run, whatever is in the mailbox', async () => {
  const { commands, shell, sendMail, sdk, smtpPort } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Old', text: 'Your code is 111222.' })
  await sdk.messages.waitFor({ subject: 'Old' })
  const lines = [
    'eval "$(mailhatch address --tag "Sign up: Ada" --mailbox qa -o env)"',
    `mailhatch send --smtp 127.0.0.1:${smtpPort} --to "$MAILHATCH_ADDRESS" --text "Your code is 482913." >/dev/null`,
    'code=$(mailhatch wait --to "$MAILHATCH_ADDRESS" --after "$MAILHATCH_CURSOR" --print code)',
    'echo "$MAILHATCH_ADDRESS $code"',
  ]
  const { code, stdout, stderr } = await shell.run(lines.join(' && '))
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^qa\+sign-up-ada-[a-z0-9]{10}@mailhatch\.test 482913\n$/)
  const once = JSON.parse((await commands.run('mailhatch address')).stdout) as { address: string; cursor: string }
  const again = JSON.parse((await commands.run('mailhatch address -o json')).stdout) as typeof once
  expect(once.address).not.toBe(again.address)
  expect(once.cursor).toBe((await sdk.me()).cursor)
})

test('a variable that is not set does not widen a filter', async () => {
  const { commands, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Old', text: 'Your code is 111222.' })
  await sdk.messages.waitFor({ subject: 'Old' })
  // A shell passes an empty word for "$NONE".
  for (const words of ['wait --to ""', 'wait --to qa --after ""', 'get ""', 'delete ""', 'delete --to "" --yes']) {
    const { code, stdout, stderr } = await commands.run(`mailhatch ${words}`)
    expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' })
    expect(stderr).toContain('is a variable not set?')
  }
  expect((await sdk.me()).messageCount).toBe(1)
})

test('the error of a timeout names refused mail as far as the key may see it, and the dashboard’s page', async () => {
  const { commands, sendMail, sdk, url, dataDir } = await start()
  await sendMail({ to: 'qa+signup@gmail.com', subject: 'Verify' })
  await sendMail({ to: 'anna@gmail.com', subject: 'Verify' })
  await expect.poll(async () => (await sdk.rejections.list()).length).toBe(2)
  const line = 'mailhatch wait --to qa+signup@mailhatch.test --subject Verify --timeout 100ms'
  const { code, stderr } = await commands.run(line)
  const { error } = JSON.parse(stderr) as { error: { message: string; refused: object[] | null; page: string } }
  expect(code).toBe(3)
  expect(error.message.split('\n')).toEqual([
    'No message matched --to qa+signup@mailhatch.test --subject Verify within 100 ms. Nothing arrived. Was the mail sent, and to this address?',
    expect.stringMatching(/^Mail of the last minutes to domains that no team has\. .*“Other addresses”.*--catch-all/),
    '  to qa+signup@gmail.com from sender@shop.example',
    `Its mail in the dashboard: ${url}/a/qa%2Bsignup%40mailhatch.test`,
  ])
  expect(error.refused).toMatchObject([{ to: 'qa+signup@gmail.com', code: 'inbox_domain_unknown' }])
  expect(error.page).toBe(`${url}/a/qa%2Bsignup%40mailhatch.test`)

  // Mail for other addresses is listed only if there is none for a similar one.
  const other = await commands.run('mailhatch wait --to orders@mailhatch.test --timeout 100ms')
  expect(JSON.parse(other.stderr)).toMatchObject({
    error: { refused: [{ to: 'anna@gmail.com' }, { to: 'qa+signup@gmail.com' }] },
  })

  const created = await commands.run('mailhatch keys create --scope email.full', { DATA_DIR: dataDir })
  const { key } = JSON.parse(created.stdout) as { key: string }
  const reader = await commands.run(line, { MAILHATCH_API_KEY: key })
  expect(reader.stderr).not.toContain('gmail.com')
  expect(JSON.parse(reader.stderr)).toMatchObject({ error: { refused: null, page: error.page } })
})

test('a timeout: exit code 3, no output, and an error that lists what arrived instead', async () => {
  const { commands, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Welcome\u001b[2J' })
  await sdk.messages.waitFor({ subject: 'Welcome' })
  const { code, stdout, stderr } = await commands.run(
    'mailhatch wait --to qa --subject Verify --timeout 300ms --print code',
  )
  expect([code, stdout]).toEqual([3, ''])
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      message: expect.stringContaining(
        'What did arrive:\n  to qa@mailhatch.test: Welcome [2J (not matching: --subject)',
      ),
      code: 'message_timeout',
      category: 'timeout',
      retryable: true,
      arrived: [{ to: 'qa@mailhatch.test', failed: ['subject'] }],
    },
  })
})

test('limit: it waits for 30 seconds by default', () => {
  const wait = createProgram('0.0.0').commands.find((command) => command.name() === 'wait')!
  expect(wait.opts()).toMatchObject({ timeout: 30_000 })
})

test('a message without a code is an error', async () => {
  const { commands, sendMail } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Welcome', text: 'Hello.' })
  const { code, stdout, stderr } = await commands.run('mailhatch wait --mailbox qa --print code')
  expect([code, stdout]).toEqual([1, ''])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'content_not_found' } })
})

test('errors have a code and a category', async () => {
  const { commands } = await start()
  const away = `http://127.0.0.1:${await freePort()}`
  const cases: [string, number, string, string][] = [
    ['mailhatch wait --api-key unknown', 4, 'unauthorized', 'auth'],
    ['mailhatch wait', 4, 'unauthorized', 'auth'],
    [`mailhatch wait --timeout 200ms --url ${away}`, 5, 'connection_failed', 'network'],
    ['mailhatch wait --timeout soon', 2, 'usage', 'user_input'],
    ['mailhatch wait --print codes', 2, 'usage', 'user_input'],
  ]
  for (const [line, code, errorCode, category] of cases) {
    // Without other words, also without a key.
    const ended = await commands.run(line, line === 'mailhatch wait' ? { MAILHATCH_API_KEY: '' } : {})
    expect({ line, ...ended }).toMatchObject({ line, code, stdout: '' })
    expect(JSON.parse(ended.stderr)).toMatchObject({
      error: { code: errorCode, category, message: expect.any(String) },
    })
  }
})

test('Ctrl+C exits with 130 and without an error', async () => {
  const { promise: requested, resolve: onRequest } = Promise.withResolvers<void>()
  // It never responds.
  const server = createServer(() => onRequest()).listen(0, '127.0.0.1')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const shell = createShell(temporaryFolder(), { MAILHATCH_URL: `http://127.0.0.1:${port}`, MAILHATCH_API_KEY: 'any' })
  const waiting = shell.start('mailhatch wait')
  await requested
  waiting.stop('SIGINT')
  expect(await waiting.ended).toEqual({ code: 130, stdout: '', stderr: '' })
})
