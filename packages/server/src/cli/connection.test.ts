import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { startServer, temporaryFolder } from '../../test/support/server.ts'
import { clientOf, findConnection, withSmtp } from './connection.ts'

type Files = { project?: object; credentials?: object; keyFile?: string }

/** A project folder, a user's home, and the data folder of a server on this machine. */
function setUp({ project, credentials, keyFile }: Files = {}) {
  const home = temporaryFolder()
  const folder = join(home, 'project', 'tests')
  mkdirSync(join(home, 'mailhatch'), { recursive: true })
  mkdirSync(join(home, 'data'))
  mkdirSync(folder, { recursive: true })
  const path = {
    project: join(home, 'project', '.mailhatch.json'),
    credentials: join(home, 'mailhatch', 'credentials.json'),
    keyFile: join(home, 'data', 'api-key'),
  }
  if (project) writeFileSync(path.project, JSON.stringify(project))
  if (credentials) writeFileSync(path.credentials, JSON.stringify(credentials), { mode: 0o600 })
  if (keyFile) writeFileSync(path.keyFile, `${keyFile}\n`)
  vi.stubEnv('XDG_CONFIG_HOME', home)
  vi.stubEnv('DATA_DIR', join(home, 'data'))
  const find = (...words: string[]) => {
    const command = withSmtp(new Command('test')).exitOverride().parse(words, { from: 'user' })
    return findConnection(command, folder)
  }
  return { find, path }
}

beforeEach(() => {
  for (const name of ['MAILHATCH_URL', 'MAILHATCH_API_KEY', 'MAILHATCH_SMTP']) vi.stubEnv(name, undefined)
})
afterEach(() => void vi.unstubAllEnvs())

describe('precedence', () => {
  test('for the server: flag, environment, project, credentials, default', () => {
    const files = { project: { url: 'http://project.test' }, credentials: { url: 'http://home.test' } }
    const { find, path } = setUp(files)
    vi.stubEnv('MAILHATCH_URL', 'http://environment.test/')
    expect(find('--url', 'http://flag.test').url).toEqual({ value: 'http://flag.test', from: '--url' })
    expect(find().url).toEqual({ value: 'http://environment.test', from: 'MAILHATCH_URL' })
    vi.stubEnv('MAILHATCH_URL', '')
    expect(find().url).toEqual({ value: 'http://project.test', from: path.project })
    const personal = setUp({ credentials: files.credentials })
    expect(personal.find().url).toEqual({ value: 'http://home.test', from: personal.path.credentials })
    expect(setUp().find().url).toEqual({ value: 'http://localhost:3003', from: 'default' })
  })

  test('for the server and SMTP: the addresses of a server running on this machine come before the default', async () => {
    const { dataDir, url, smtpPort, close } = await startServer()
    const left = { url: `http://localhost:${new URL(url).port}`, smtp: `localhost:${smtpPort}` }
    const find = (...words: string[]) => setUp().find('--data-dir', dataDir, ...words)
    const from = join(dataDir, 'addresses.json')
    expect(find()).toMatchObject({ url: { value: left.url, from }, smtp: { value: left.smtp, from } })
    expect(find().apiKey?.from).toBe(join(dataDir, 'api-key'))
    expect(find('--url', 'http://localhost:1').smtp).toEqual({ value: 'localhost:2525', from: 'default' })
    const files = { project: { url: 'http://project.test' } }
    expect(setUp(files).find('--data-dir', dataDir).url.value).toBe('http://project.test')
    await close()
    // As after `kill -9`: the file is left behind, but the server is gone.
    expect(existsSync(from)).toBe(true)
    expect(find().url).toEqual({ value: 'http://localhost:3003', from: 'default' })
  })

  test('for the key: flag, environment, credentials, the key of a server on this machine', () => {
    const { find, path } = setUp({ credentials: { apiKey: 'mh_home' }, keyFile: 'mh_local' })
    vi.stubEnv('MAILHATCH_API_KEY', 'mh_environment')
    expect(find('--api-key', 'mh_flag').apiKey).toEqual({ value: 'mh_flag', from: '--api-key' })
    expect(find().apiKey).toEqual({ value: 'mh_environment', from: 'MAILHATCH_API_KEY' })
    vi.stubEnv('MAILHATCH_API_KEY', '')
    expect(find().apiKey).toEqual({ value: 'mh_home', from: path.credentials })
    const local = setUp({ keyFile: 'mh_local' })
    expect(local.find().apiKey).toEqual({ value: 'mh_local', from: local.path.keyFile })
    expect(setUp().find().apiKey).toBe(null)
  })

  test('for SMTP: flag, environment, project, the host of the server', () => {
    const { find } = setUp({ project: { smtp: 'project.test:25' } })
    vi.stubEnv('MAILHATCH_SMTP', 'environment.test:25')
    expect(find('--smtp', 'flag.test:25').smtp).toEqual({ value: 'flag.test:25', from: '--smtp' })
    expect(find().smtp).toEqual({ value: 'environment.test:25', from: 'MAILHATCH_SMTP' })
    vi.stubEnv('MAILHATCH_SMTP', '')
    expect(find().smtp.value).toBe('project.test:25')
    expect(setUp().find('--url', 'https://mail.example').smtp).toEqual({ value: 'mail.example:2525', from: 'default' })
  })
})

describe('a key is only sent to its own server', () => {
  test('the key of a local server is only used for local URLs', () => {
    const { find } = setUp({ keyFile: 'mh_local' })
    for (const url of ['http://127.0.0.1:3003', 'http://[::1]:3003', 'http://localhost']) {
      expect(find('--url', url).apiKey?.value).toBe('mh_local')
    }
    for (const url of ['http://mail.example', 'http://localhost.example', 'http://127.0.0.1.example']) {
      expect(find('--url', url).apiKey).toBe(null)
    }
  })

  test('the key in the credentials is only used for their URL', () => {
    const { find } = setUp({ credentials: { url: 'https://mail.example/', apiKey: 'mh_home' } })
    expect(find().apiKey?.value).toBe('mh_home')
    expect(find('--url', 'https://mail.example').apiKey?.value).toBe('mh_home')
    expect(find('--url', 'https://evil.example').apiKey).toBe(null)
    expect(setUp({ credentials: { apiKey: 'mh_home' } }).find('--url', 'https://mail.example').apiKey).toBe(null)
    const hostile = setUp({
      project: { url: 'https://evil.example' },
      credentials: { url: 'https://mail.example', apiKey: 'mh_home' },
    })
    expect(hostile.find().apiKey).toBe(null)
  })

  test('a missing key is an error that says where to put it', () => {
    expect(() => clientOf(setUp().find())).toThrow(/No API key for http:\/\/localhost:3003: pass --api-key/)
  })
})

test.each(['nonsense', 'localhost:3003', 'ftp://localhost'])('%s is not a server', (url) => {
  expect(() => setUp().find('--url', url)).toThrow(`${url} (--url) is not a server URL`)
})

describe('invalid files are refused', () => {
  test.each([{ apiKey: 'mh_secret' }, { url: 1 }, []])('a project with %j', (project) => {
    const { find, path } = setUp({ project })
    expect(find).toThrow(`${path.project} is not valid`)
  })

  test('credentials that others can read', () => {
    const { find, path } = setUp({ credentials: { apiKey: 'mh_home' } })
    expect(find().apiKey?.value).toBe('mh_home')
    chmodSync(path.credentials, 0o640)
    expect(find).toThrow(`chmod 600 ${path.credentials}`)
  })
})
