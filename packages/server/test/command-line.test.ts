import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../src/program/config.ts'
import { runToExit } from './support/in-process.ts'
import { run, runServe } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'

const CONFIG_EXIT = 78

describe('contract: every configuration problem is reported at once, exit code 78', () => {
  test('each problem names its variable and value', async () => {
    const wrong = {
      PORT: 'abc',
      WORKER_PORT: '70000',
      LOG_LEVEL: 'loud',
      DEFAULT_PLAN: 'gold',
      INBOX_ROOT_DOMAIN: 'not a domain',
      WEBHOOK_URL: 'localhost/webhooks/inbox',
      SMTP_MAX_SIZE: 'much',
    }
    const { code, stdout, stderr } = await runServe({ ...wrong, DATA_DIR: temporaryFolder() })
    expect(code).toBe(CONFIG_EXIT)
    expect(stdout).toBe('')
    for (const [variable, value] of Object.entries(wrong)) {
      expect(stderr).toMatch(new RegExp(`^.*${variable}.*${value}.*$`, 'm'))
    }
  })

  test.each([
    ['too short', 'x'.repeat(19)],
    ['too long', 'x'.repeat(201)],
    ['not printable', 'secret with a \u0007 bell in it'],
  ])('a secret that is %s is named and hidden', async (_, secret) => {
    const { code, stderr } = await runToExit(['serve'], { DATA_DIR: temporaryFolder(), BOOTSTRAP_API_KEY: secret })
    expect(code).toBe(CONFIG_EXIT)
    expect(stderr).toContain('BOOTSTRAP_API_KEY')
    expect(stderr).not.toContain(secret.slice(0, 19))
  })

  test.each<[string, Record<string, string>]>([
    ['EMAIL_DOMAIN', { EMAIL_DOMAIN: 'one.test', INBOX_ROOT_DOMAIN: 'two.test' }],
    [
      'WEBHOOK_AUTH_TOKEN',
      { WEBHOOK_AUTH_TOKEN: 'token-token-token-one', INBOX_WEBHOOK_SECRET: 'token-token-token-two' },
    ],
  ])('%s must match the API’s value in the all-in-one program', async (variable, environment) => {
    const { code, stderr } = await runToExit(['serve'], { DATA_DIR: temporaryFolder(), ...environment })
    expect(code).toBe(CONFIG_EXIT)
    expect(stderr).toContain(variable)
    expect(stderr).not.toContain('token-token-token')
  })

  test('a WEBHOOK_URL without scheme stops the worker with an error that says so', async () => {
    const { code, stderr } = await runToExit(['worker'], {
      DATA_DIR: temporaryFolder(),
      WEBHOOK_URL: 'api.example/webhooks/inbox',
    })
    expect(code).toBe(CONFIG_EXIT)
    expect(stderr).toMatch(/WEBHOOK_URL.*https?:\/\//)
  })
})

describe('a file of settings', () => {
  test('is read if it is named, and the environment overrides it', async () => {
    const file = join(temporaryFolder(), 'mailhatch.env')
    writeFileSync(file, 'PORT=abc\nSMTP_PORT=def\n')
    const { code, stderr } = await run(['--settings', file, 'serve'], { SMTP_PORT: 'ghi' })
    expect(code).toBe(CONFIG_EXIT)
    expect(stderr).toContain('PORT="abc"')
    expect(stderr).toContain('SMTP_PORT="ghi"')
  })

  test('sets the options that the environment can set, wherever it is named', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'mailhatch.env')
    writeFileSync(file, 'MAILHATCH_URL=http://file.test\nMAILHATCH_API_KEY=mh_file\n')
    const mailhatch = async (words: string, environment: Record<string, string> = {}) =>
      run(words.split(' '), { DATA_DIR: folder, XDG_CONFIG_HOME: folder, ...environment })
    expect((await mailhatch('listen --print-secret')).stderr).toContain('No API key for http://localhost:3003')
    const fromFile = await mailhatch(`--settings ${file} listen --print-secret`)
    expect(fromFile).toEqual(await mailhatch('listen --print-secret --api-key mh_file'))
    expect(fromFile.code).toBe(0)
    expect((await mailhatch(`open --json --settings ${file}`)).stdout).toContain('http://file.test/')
    const both = await mailhatch(`open --json --settings ${file}`, { MAILHATCH_URL: 'http://environment.test' })
    expect(both.stdout).toContain('http://environment.test/')
  })

  test('that does not exist is an error', async () => {
    const { code, stderr } = await run(['--settings', join(temporaryFolder(), 'none'), 'serve'])
    expect(code).toBe(1)
    expect(stderr).toContain('none')
  })
})

describe('the command line', () => {
  test('--help lists the commands', async () => {
    const { code, stdout } = await runToExit(['--help'])
    expect(code).toBe(0)
    for (const command of ['serve', 'api', 'worker', 'teams', 'mailboxes', 'keys']) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'))
    }
    expect(stdout).toContain('Without a command, mailhatch starts the server with its data in the current folder.')
  })

  test('serve --help lists the settings with their defaults', async () => {
    const { code, stdout } = await runToExit(['serve', '--help'])
    expect(code).toBe(0)
    const defaults = {
      PORT: '3003',
      WORKER_PORT: '3005',
      SMTP_PORT: '2525',
      HOST: '127.0.0.1',
      DATA_DIR: '.mailhatch',
      INBOX_ROOT_DOMAIN: 'in.mailhatch.test',
      BOOTSTRAP_DOMAIN: 'mailhatch.test',
      WEBHOOK_TIMEOUT_MS: '10000',
      SMTP_MAX_SIZE: '26214400',
      DEFAULT_PLAN: 'enterprise',
    }
    for (const [name, value] of Object.entries(defaults)) {
      expect(stdout).toMatch(new RegExp(`^  ${name} .*Default: .*${value}`, 'm'))
    }
    const others = [
      'ALLOWED_API_ORIGINS',
      'APP_URL',
      'INBOX_WEBHOOK_SECRET',
      'EMAIL_DOMAIN',
      'WEBHOOK_URL',
      'INBOX_STORAGE',
    ]
    for (const name of others) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  test.each([
    ['999', 1_000],
    ['1000', 1_000],
    ['1001', 1_001],
    ['59999', 59_999],
    ['60000', 60_000],
    ['60001', 60_000],
  ])('limit: WEBHOOK_TIMEOUT_MS=%s means %i ms', (given, expected) => {
    expect(readConfig('serve', { WEBHOOK_TIMEOUT_MS: given }).webhookTimeoutMs).toBe(expected)
  })

  test('an unknown command is refused', async () => {
    const { code, stderr } = await runToExit(['frobnicate'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('frobnicate')
  })
})
