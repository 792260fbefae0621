import { afterEach, describe, expect, test, vi } from 'vitest'
import { startFakeServer, success } from '../test/support/fake-server.ts'
import { Mailhatch } from './client.ts'

afterEach(() => void vi.unstubAllEnvs())

describe('url and key', () => {
  test('are read from the environment', async () => {
    const { url, requests } = await startFakeServer([success({ data: { cursor: 'c1' } })])
    vi.stubEnv('MAILHATCH_URL', `${url}/`)
    vi.stubEnv('MAILHATCH_API_KEY', 'key-of-environment')
    const client = new Mailhatch()
    expect(client.url).toBe(url)
    await client.me()
    expect(requests[0]?.headers.authorization).toBe('Bearer key-of-environment')
    await new Mailhatch({ apiKey: 'given' }).me()
    expect(requests[1]?.headers.authorization).toBe('Bearer given')
  })

  test('the url defaults to localhost, also without an environment', () => {
    vi.stubEnv('MAILHATCH_URL', '')
    expect(new Mailhatch().url).toBe('http://localhost:3003')
    vi.stubGlobal('process', undefined)
    const { url } = new Mailhatch()
    vi.unstubAllGlobals()
    expect(url).toBe('http://localhost:3003')
    expect(() => new Mailhatch({ url: 'localhost:3003' })).toThrow('must start with http:// or https://')
    // What `startMailhatch` returns has more than the options.
    const started = { url: 'http://localhost:1', apiKey: 'key', smtpPort: 2525, stop() {} }
    expect(new Mailhatch(started).url).toBe('http://localhost:1')
    expect(() => new Mailhatch({ ...started, timeout: Number.NaN })).toThrow('timeout')
  })
})

test('after a rotation the client uses the new key', async () => {
  const { sdk, requests } = await startFakeServer([success({ data: { key: 'new', apiKey: {} } })])
  expect((await sdk.apiKeys.rotate()).key).toBe('new')
  await sdk.me()
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key', 'Bearer new'])
})

test('a server that is not ready says why', async () => {
  const notReady = { status: 'not ready', troubles: ['the disk is full'] }
  const { sdk } = await startFakeServer([
    success({ status: 'ready' }),
    { status: 503, body: JSON.stringify(notReady) },
    { status: 503, body: '<h1>Not found</h1>' },
  ])
  expect(await sdk.ready()).toEqual({ status: 'ready', troubles: [] })
  expect(await sdk.ready()).toEqual(notReady)
  await expect(sdk.ready({ timeout: 1_000 })).rejects.toMatchObject({ status: 503 })
})

describe('pages', () => {
  const message = (id: string) => ({ id, subject: `Mail ${id}` })
  const PAGES = [
    { data: [message('4'), message('3')], has_more: true, cursor: 'c9' },
    { data: [message('2'), message('1')], has_more: false, cursor: 'c9' },
  ]

  test('can be read page by page, or iterated over all messages', async () => {
    const { sdk, requests } = await startFakeServer([...PAGES, ...PAGES].map(success))
    const page = await sdk.messages.list({ limit: 2 })
    expect(page).toEqual(PAGES[0])
    const ids: string[] = []
    for await (const { id } of page) ids.push(id)
    for await (const { id } of sdk.messages.list({ limit: 2 })) ids.push(id)
    expect(ids.join()).toBe('4,3,2,1,4,3,2,1')
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2',
      'limit=2&after_id=3',
      'limit=2',
      'limit=2&after_id=3',
    ])
  })

  test('after a cursor come in the order in which messages became visible', async () => {
    const following = [
      { data: [message('2'), message('1')], has_more: true, cursor: 'c2' },
      { data: [message('4'), message('3')], has_more: false, cursor: 'c4' },
    ]
    const { sdk, requests } = await startFakeServer(following.map(success))
    const ids: string[] = []
    for await (const { id } of sdk.messages.list({ after: 'c0' })) ids.push(id)
    expect(ids.join()).toBe('1,2,3,4')
    expect(requests.map(({ url }) => url.split('?')[1])).toEqual(['after=c0', 'after=c2'])
  })
})
