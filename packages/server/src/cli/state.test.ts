import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { createCommands } from '../../test/support/in-process.ts'
import { startServer, temporaryFolder } from '../../test/support/server.ts'
import { createShell } from '../../test/support/shell.ts'
import { readConfig } from '../program/config.ts'
import { findUnknownVariables } from '../program/config-sources.ts'

async function start() {
  const server = await startServer()
  const folder = temporaryFolder()
  const environment = {
    MAILHATCH_URL: server.url,
    MAILHATCH_API_KEY: server.apiKey,
    MAILHATCH_SMTP: `127.0.0.1:${server.smtpPort}`,
  }
  return { ...server, commands: createCommands(folder, environment), shell: createShell(folder, environment) }
}

test('status -o env prints variables for eval and $GITHUB_ENV, with the given names', async () => {
  const { commands, shell, url, apiKey, smtpPort } = await start()
  const names = '--override-name url=APP_MAIL_URL --override-name smtp_port=APP_SMTP_PORT'
  const { stdout } = await commands.run(`mailhatch status -o env ${names}`)
  expect(stdout.split('\n')).toEqual([
    `APP_MAIL_URL=${url}`,
    `MAILHATCH_API_KEY=${apiKey}`,
    'MAILHATCH_MAIL_HOST=127.0.0.1',
    `APP_SMTP_PORT=${smtpPort}`,
    'MAILHATCH_DOMAIN=mailhatch.test',
    '',
  ])
  const evaluated = await shell.run(
    `set -a; eval "$(mailhatch status -o env ${names})"; set +a; sh -c 'echo "$APP_MAIL_URL $MAILHATCH_API_KEY"'`,
  )
  expect(evaluated.stdout).toBe(`${url} ${apiKey}\n`)
  expect((await commands.run('mailhatch status')).stdout).not.toContain(apiKey)
  expect((await commands.run('mailhatch status -o env --override-name nothing=X')).code).toBe(2)
})

test('the variables that commands print are known, and no settings of a server in the same shell', async () => {
  const { commands } = await start()
  const lines = ['mailhatch status -o env', 'mailhatch address -o env']
  const outputs = await Promise.all(lines.map((line) => commands.run(line)))
  const printed = Object.fromEntries(
    outputs
      .map(({ stdout }) => stdout)
      .join('')
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  )
  expect(Object.keys(printed).length).toBeGreaterThan(6)
  expect(findUnknownVariables(printed)).toEqual([])
  expect(readConfig('serve', printed)).toEqual(readConfig('serve', {}))
  // Control: one of the settings.
  expect(readConfig('serve', { ...printed, MAILHATCH_SMTP_PORT: '4025' }).smtpPort).toBe(4025)
})

test('whoami shows values with their source, and masks the key', async () => {
  const { commands, url, apiKey } = await start()
  const { code, stdout } = await commands.run('mailhatch whoami')
  expect(code).toBe(0)
  expect(stdout).not.toContain(apiKey)
  expect(JSON.parse(stdout)).toMatchObject({
    url: { value: url, from: 'MAILHATCH_URL' },
    apiKey: { value: `${apiKey.slice(0, 6)}…${apiKey.slice(-4)}`, from: 'MAILHATCH_API_KEY' },
    key: { scopes: ['api.full'] },
  })
  const refused = await commands.run('mailhatch whoami --api-key another')
  expect(refused.code).toBe(4)
  expect(JSON.parse(refused.stdout)).toMatchObject({ apiKey: { from: '--api-key' } })
})

test('doctor reports problems and runs the remaining checks', async () => {
  const { commands } = await start()
  type Report = { healthy: boolean; findings: { check: string; state: string; says: string }[] }
  const examine = async (words: string) => {
    const { code, stdout } = await commands.run(`mailhatch doctor ${words}`)
    // The format of this command.
    const { healthy, findings } = JSON.parse(stdout) as Report
    const inState = (wanted: string) => findings.filter(({ state }) => state === wanted).map(({ check }) => check)
    const says = findings.find(({ state }) => state === 'fail')?.says
    return { code, healthy, failed: inState('fail'), skipped: inState('skip'), says }
  }
  expect(await examine('')).toMatchObject({ code: 0, healthy: true, failed: [] })
  expect(await examine('--api-key another')).toMatchObject({
    code: 1,
    healthy: false,
    failed: ['key', 'dns', 'refusals', 'webhooks'],
  })
  const away = `127.0.0.1:${await freePort()}`
  const says = `no SMTP server at ${away}: ECONNREFUSED`
  expect(await examine(`--smtp ${away}`)).toMatchObject({ code: 1, healthy: false, failed: ['smtp'], says })
  expect(await examine(`--url http://${away}`)).toEqual({
    code: 1,
    healthy: false,
    failed: ['server'],
    skipped: ['key', 'clock', 'dns', 'refusals', 'webhooks'],
    says: expect.stringContaining(`No server at http://${away}. Start one with \`mailhatch serve\``),
  })
})

test.each(['status', 'whoami', 'ready', 'list', 'get 1', 'wait --timeout 1s', 'tail', 'mcp', 'export'])(
  '%s says what to do if no server is running',
  async (words) => {
    const url = `http://127.0.0.1:${await freePort()}`
    const { code, stderr } = await createCommands(temporaryFolder(), {}).run(
      `mailhatch ${words} --url ${url} --api-key any`,
    )
    // The JSON format of errors.
    const { error } = JSON.parse(stderr) as { error: { message: string } }
    expect([code, error.message]).toEqual([5, expect.stringContaining(`No server at ${url}. Start one with`)])
  },
)

test('ready waits for a server that starts later, and fails if none does', async () => {
  const { commands } = await start()
  const port = await freePort()
  const away = await commands.run(`mailhatch ready --wait 100ms --url http://127.0.0.1:${port}`)
  expect([away.code, JSON.parse(away.stderr)]).toMatchObject([5, { error: { code: 'connection_failed' } }])
  const waiting = commands.run(`mailhatch ready --wait 15s --url http://127.0.0.1:${port}`)
  await startServer({ PORT: String(port) })
  expect(await waiting).toMatchObject({ code: 0, stdout: `{"url":"http://127.0.0.1:${port}","status":"ready"}\n` })
})

test('open prints the URL; without a terminal, usage errors are JSON', async () => {
  const { commands, url } = await start()
  expect(JSON.parse((await commands.run('mailhatch open')).stdout)).toEqual({ url: `${url}/` })
  expect(JSON.parse((await commands.run('mailhatch open a/b')).stdout)).toEqual({ url: `${url}/m/a%2Fb` })
  const { code, stdout, stderr } = await commands.run('mailhatch frobnicate')
  expect([code, stdout]).toEqual([2, ''])
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: expect.stringContaining('frobnicate'), code: 'usage' } })
})

test('on a terminal, open reports whether the browser was opened', async () => {
  const folder = temporaryFolder()
  const asTerminal = '--import=data:text/javascript,process.stdout.isTTY=true'
  const shell = createShell(folder, { NODE_OPTIONS: asTerminal, MAILHATCH_URL: 'http://mail.test' })
  for (const { ends, says } of [
    { ends: 'exit 0', says: 'Opened http://mail.test/\n' },
    { ends: 'exit 3', says: 'http://mail.test/\n' },
  ]) {
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${ends}\n`, { mode: 0o755 })
    }
    expect(await shell.run('mailhatch open')).toEqual({ code: 0, stdout: says, stderr: '' })
  }
})

test('help exit-codes lists them all', async () => {
  const { stdout } = await createCommands(temporaryFolder(), {}).run('mailhatch help exit-codes')
  expect(Array.from(stdout.matchAll(/^ +(\d+) {2}\S/gm), ([, code]) => Number(code))).toEqual([
    0, 1, 2, 3, 4, 5, 78, 130,
  ])
})
