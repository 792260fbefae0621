import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { expect, test } from 'vitest'
import { announcement, post } from './support/announce.ts'
import { openBrowser } from './support/browser.ts'
import { freePort } from './support/free-port.ts'
import { runHere } from './support/in-process.ts'
import { run, startProgram } from './support/program.ts'
import { serveIn, startServer, temporaryFolder, WEBHOOK_SECRET } from './support/server.ts'

const AS_TERMINAL = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' }
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

const tokenIn = (text: string) => /\/sign-in\?token=([\w-]{43})/.exec(text)?.[1]

/** What `mailhatch open` would open. */
async function openedUrl(environment: Record<string, string>, ...words: string[]): Promise<string> {
  return (JSON.parse(await runHere(['open', '--json', ...words], environment)) as { url: string }).url
}

async function canSignIn(url: string, token: string): Promise<boolean> {
  return (await openBrowser(url).post('/auth/link', { token })).status === 200
}

test('every start prints the addresses, the version, where the key is and how to sign in', async () => {
  const dataDir = temporaryFolder()
  await (await serveIn(dataDir, {})).close()
  const { url, output, stop } = await startProgram('serve', { DATA_DIR: dataDir })
  const local = url.replace('127.0.0.1', 'localhost')
  const { stdout } = output
  expect(stdout).toMatch(/^ {2}SMTP +127\.0\.0\.1:\d+$/m)
  expect(stdout).toMatch(new RegExp(`^ {2}Dashboard +${local}/$`, 'm'))
  expect(stdout).toMatch(new RegExp(`^ {2}Version +${version.replaceAll('.', String.raw`\.`)}$`, 'm'))
  expect(stdout).toContain(`API key    in ${join(dataDir, 'api-key')}\n`)
  expect(stdout).toContain(`Sign in    npx mailhatch open --data-dir ${dataDir}\n`)
  expect(tokenIn(stdout)).toBeUndefined()
  expect(stdout).not.toContain(readFileSync(join(dataDir, 'api-key'), 'utf8').trim())
  expect(stdout).not.toContain('left alone')

  // The printed command makes a link that works once.
  const opened = await openedUrl({}, '--data-dir', dataDir)
  expect(opened).toMatch(new RegExp(String.raw`^${local}/sign-in\?token=`))
  const token = tokenIn(opened)!
  expect(await canSignIn(url, token)).toBe(true)
  expect(await canSignIn(url, token)).toBe(false)
  await stop()

  // On a terminal the start prints such a link itself.
  const folder = temporaryFolder()
  const opener = `#!/bin/sh\necho "$1" > ${folder}/opened\n`
  for (const name of ['xdg-open', 'open']) writeFileSync(join(folder, name), opener, { mode: 0o755 })
  const PATH = `${folder}:${process.env['PATH']}`
  const shown = await startProgram('serve', { DATA_DIR: dataDir, PATH, ...AS_TERMINAL }, ['--open'])
  expect(await canSignIn(shown.url, tokenIn(shown.output.stdout)!)).toBe(true)
  // The browser has a link of its own.
  await expect
    .poll(() => existsSync(join(folder, 'opened')) && tokenIn(readFileSync(join(folder, 'opened'), 'utf8')))
    .toBeTruthy()
  expect(await canSignIn(shown.url, tokenIn(readFileSync(join(folder, 'opened'), 'utf8'))!)).toBe(true)
  expect((await shown.stop()).stderr).not.toContain('token')
})

test('a first start does not print a key that the settings have', async () => {
  const dataDir = temporaryFolder()
  const key = 'key-from-the-settings-of-this-test'
  const { output, stop } = await startProgram('serve', { DATA_DIR: dataDir, BOOTSTRAP_API_KEY: key })
  const { stdout, stderr } = await stop()
  expect(output.stdout).toContain(`API key    as set; stored in ${join(dataDir, 'api-key')}\n`)
  expect(stdout + stderr).not.toContain(key)
})

test('open never signs in with a key alone, and only at the server of the data folder', async () => {
  const { url, apiKey, dataDir } = await startServer()
  const elsewhere = temporaryFolder()
  const withKey = { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey }
  expect(await openedUrl({ ...withKey, DATA_DIR: elsewhere })).toBe(`${url}/`)
  expect(readdirSync(elsewhere)).toEqual([])
  expect(await openedUrl({ MAILHATCH_URL: 'http://other.example:3003', DATA_DIR: dataDir })).toBe(
    'http://other.example:3003/',
  )
  // Control: with its data folder it does, also for one message, and whatever name the folder was given by.
  expect(tokenIn(await openedUrl({ ...withKey, DATA_DIR: dataDir }))).toBeDefined()
  const message = await openedUrl({ MAILHATCH_DATA_DIR: dataDir, DATA_DIR: elsewhere }, 'some-id')
  expect(message).toMatch(/\/sign-in\?token=[\w-]{43}&next=%2Fm%2Fsome-id$/)
})

test('serve takes flags, which win over variables, also without its name', async () => {
  const folder = temporaryFolder()
  const [port, smtpPort] = [await freePort(), await freePort()]
  const flags = ['--port', String(port), '--smtp-port', String(smtpPort), '--host', '127.0.0.2', '--catch-all']
  const { output } = await startProgram(
    'serve',
    { DATA_DIR: join(folder, 'not'), MAILHATCH_PORT: '1', INBOX_WEBHOOK_SECRET: WEBHOOK_SECRET },
    [...flags, '--data-dir', join(folder, 'data')],
  )
  expect(output.stdout).toContain(`SMTP       127.0.0.2:${smtpPort}\n`)
  const wait = `npx mailhatch wait --new --mailbox qa --data-dir ${join(folder, 'data')}`
  expect(output.stdout).toContain(`Wait for the next mail to qa:\n\n  ${wait}\n`)
  expect(readdirSync(folder)).toEqual(['data'])
  const caught = await post(`http://127.0.0.2:${port}`, announcement({ domain: 'gmail.com' }))
  expect(caught.body).toMatchObject({ status: 'stored' })

  const wrong = [['--port', 'abc'], ['--port', '65536'], ['--smtp-port'], ['--host', ''], ['--prot', '1']]
  for (const words of wrong) {
    const error = await runHere(words, { DATA_DIR: join(folder, 'none') }).catch((reason: unknown) => reason)
    expect([words, error instanceof CommanderError]).toEqual([words, true])
  }
  const { code, stderr } = await run(wrong[0]!, { DATA_DIR: join(folder, 'none') })
  expect([code, stderr]).toEqual([2, expect.stringContaining(`option '--port <port>' argument 'abc' is invalid`)])
  expect(existsSync(join(folder, 'none'))).toBe(false)
})

test('help shows the ten settings that matter first', async () => {
  const { stdout } = await run(['serve', '--help'])
  const [, first = '', others = ''] = /most important ones:\n\n([^]*?)\n\nAll others:\n\n([^]*)\n/.exec(stdout) ?? []
  const namesIn = (text: string) => Array.from(text.matchAll(/^ {2}([A-Z][A-Z0-9_]+) /gm), ([, name]) => name)
  expect(namesIn(first)).toHaveLength(10)
  expect(namesIn(first)).toEqual(expect.arrayContaining(['PORT', 'SMTP_PORT', 'HOST', 'DATA_DIR', 'INBOX_CATCH_ALL']))
  expect(namesIn(others).length).toBeGreaterThan(30)
  expect(namesIn(others).filter((name) => namesIn(first).includes(name))).toEqual([])
})

test('an unknown variable with our prefix, and a setting that this program does not use, are warnings', async () => {
  const odd = { MAILHATCH_POTR: '4000', MAILHATCH_SERVICE_HOST: '10.0.0.1', BOOTSTRAP_API_KEY: 'k'.repeat(20) }
  const warnings = async (name: 'serve' | 'api') => {
    const program = await startProgram(name, { DATA_DIR: temporaryFolder(), LOG_LEVEL: 'warn', ...odd })
    const lines = (await program.stop()).stderr.trim().split('\n')
    return lines.map((line) => JSON.parse(line) as { variable?: string; didYouMean?: string; msg: string })
  }
  const typo = { variable: 'MAILHATCH_POTR', didYouMean: 'MAILHATCH_PORT' }
  expect(await warnings('serve')).toMatchObject([typo])
  expect(await warnings('api')).toMatchObject([
    typo,
    { variable: 'BOOTSTRAP_API_KEY', msg: expect.stringContaining('only mailhatch serve uses this variable') },
  ])
})

test('unknown names in a settings file stop the program, all at once', async () => {
  const file = join(temporaryFolder(), 'mailhatch.env')
  writeFileSync(file, 'SMPT_PORT=4025\nPORT=0\nAPP_NAME=shop\n')
  const { code, stdout, stderr } = await run(['--settings', file])
  expect([code, stdout]).toEqual([78, ''])
  expect(stderr).toContain(`${file}: SMPT_PORT: is not a setting; did you mean SMTP_PORT?`)
  expect(stderr).toContain(`${file}: APP_NAME: is not a setting`)
  expect(stderr).not.toContain(': PORT')
})
