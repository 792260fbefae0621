import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { startServer, temporaryFolder } from '../../test/support/server.ts'
import { createShell } from '../../test/support/shell.ts'
import { createProgram } from './program.ts'

async function start() {
  const server = await startServer()
  const environment = { MAILHATCH_URL: server.url, MAILHATCH_API_KEY: server.apiKey }
  return { ...server, shell: createShell(temporaryFolder(), environment) }
}

test('it prints the requested part as soon as the mail arrives', async () => {
  const { shell, sendMail } = await start()
  const waiting = shell.start('mailhatch wait --mailbox qa --subject verify --timeout 15s --print code')
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Newsletter', text: 'Your code is 111222.' })
  await sendMail({
    to: 'qa@mailhatch.test',
    subject: 'Verify',
    html: '<p>Your code is <b>482913</b>.</p> <a href="https://shop.example/verify?token=f3a1">Verify</a>',
  })
  expect(await waiting.ended).toEqual({ code: 0, stdout: '482913\n', stderr: '' })
  const printed = async (part: string) => (await shell.run(`mailhatch wait --subject verify --print ${part}`)).stdout
  expect(await printed('link')).toBe('https://shop.example/verify?token=f3a1\n')
  expect(await printed('text')).toContain('Your code is 482913.')
  expect(JSON.parse(await printed('json'))).toMatchObject({ subject: 'Verify', codes: [{ value: '482913' }] })
})

test('a timeout: exit code 3, no output, and an error that lists what arrived instead', async () => {
  const { shell, sendMail, sdk } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Welcome\u001b[2J' })
  await sdk.messages.waitFor({ subject: 'Welcome' })
  const { code, stdout, stderr } = await shell.run(
    'mailhatch wait --to qa --subject Verify --timeout 300ms --print code',
  )
  expect([code, stdout]).toEqual([3, ''])
  expect(JSON.parse(stderr)).toMatchObject({
    error: {
      message: expect.stringContaining('What did arrive:\n  to qa@mailhatch.test: Welcome'),
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
  const { shell, sendMail } = await start()
  await sendMail({ to: 'qa@mailhatch.test', subject: 'Welcome', text: 'Hello.' })
  const { code, stdout, stderr } = await shell.run('mailhatch wait --mailbox qa --print code')
  expect([code, stdout]).toEqual([1, ''])
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'content_not_found' } })
})

test('errors have a code and a category', async () => {
  const { shell } = await start()
  const away = `http://127.0.0.1:${await freePort()}`
  const cases: [string, number, string, string][] = [
    ['mailhatch wait --api-key unknown', 4, 'unauthorized', 'auth'],
    ['MAILHATCH_API_KEY= mailhatch wait', 4, 'unauthorized', 'auth'],
    [`mailhatch wait --timeout 200ms --url ${away}`, 5, 'connection_failed', 'network'],
    ['mailhatch wait --timeout soon', 2, 'usage', 'user_input'],
    ['mailhatch wait --print codes', 2, 'usage', 'user_input'],
  ]
  for (const [line, code, errorCode, category] of cases) {
    const ended = await shell.run(line)
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
