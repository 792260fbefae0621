import { MailpitClient } from 'mailpit-api'
import { expect, test } from 'vitest'
import { readConfig, type Config } from '../../src/program/config.ts'
import { makeTeam, makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'
import { ask, askWebSocket, basic } from './ask.ts'

async function start() {
  const server = await startServer({ COMPAT: 'mailpit', COMPAT_PORT: '0' })
  await server.sendMail({ to: 'alpha@mailhatch.test', subject: 'For alpha' })
  await server.sendMail({ to: 'beta@mailhatch.test', subject: 'For beta' })
  await new MailpitClient(server.compatUrl).waitForMessages({ count: 2 })
  const environment = { DATA_DIR: server.dataDir }
  const { team } = await server.sdk.me()
  return {
    ...server,
    doors: [server.compatUrl, `${server.url}/compat/mailpit`],
    otherKey: await makeTeam(environment, { name: 'Other', domain: 'other.test', plan: 'pro' }),
    alphaKey: await makeTeamKey(environment, team.name, { mailbox: 'alpha' }),
    readerKey: await makeTeamKey(environment, team.name, { scope: 'email.full' }),
  }
}

test('a key sees its own team or mailbox, with basic and bearer authentication, on both doors', async () => {
  const { doors, apiKey, otherKey, alphaKey } = await start()
  for (const door of doors) {
    const subjects = async (headers: Record<string, string>, path = '/api/v1/messages') => {
      const body = JSON.parse((await ask(door + path, headers)).text) as {
        messages: { Subject: string }[]
        total: number
      }
      return [body.total, ...body.messages.map(({ Subject }) => Subject)]
    }
    for (const path of ['/api/v1/messages', '/api/v1/search?query=for']) {
      expect(await subjects(basic('', apiKey), path)).toEqual([2, 'For beta', 'For alpha'])
      expect(await subjects(basic('any name', alphaKey), path)).toEqual([1, 'For alpha'])
      expect(await subjects(basic(otherKey, ''), path)).toEqual([0])
      expect(await subjects({ authorization: `Bearer ${alphaKey}` }, path)).toEqual([1, 'For alpha'])
    }
    for (const headers of [basic('', 'wrong'), { authorization: 'Bearer wrong' }, { authorization: 'Basic' }]) {
      const refused = await ask(`${door}/api/v1/messages`, headers)
      expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="Mailhatch"'])
    }
  }
})

test('what a client says of itself is shown as its name, unless it may be a key', async () => {
  const { doors, apiKey } = await start()
  const body = JSON.stringify({ From: { Email: 'app@shop.example' }, To: [{ Email: 'alpha@mailhatch.test' }] })
  for (const [credentials, name] of [
    [`ci:${apiKey}`, 'ci'],
    [`:${apiKey}`, ''],
    [`${apiKey}:`, ''],
    [apiKey, ''],
    [`${apiKey}:${apiKey}`, ''],
  ] as const) {
    const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
    const sent = await fetch(`${doors[1]}/api/v1/send`, { method: 'POST', body, headers: { authorization } })
    const { ID } = (await sent.json()) as { ID: string }
    const message = await ask(`${doors[0]}/api/v1/message/${ID}`)
    expect((JSON.parse(message.text) as { Username: string }).Username).toBe(name)
  }
})

test('of a sent mail, the sender sees the messages of its team, and sending to other teams alone is an error', async () => {
  const { doors, apiKey, otherKey, sdk } = await start()
  const send = (key: string, ...to: string[]) =>
    fetch(`${doors[1]}/api/v1/send`, {
      method: 'POST',
      body: JSON.stringify({ From: { Email: 'app@shop.example' }, To: to.map((address) => ({ Email: address })) }),
      headers: basic('', key),
    })
  const sent = await send(apiKey, 'alpha@mailhatch.test', 'qa@other.test', 'beta@mailhatch.test')
  expect(sent.status).toBe(200)
  const { data } = await sdk.messages.list({ limit: 2 })
  expect(data.map(({ mailbox, from }) => [mailbox, from]).toSorted()).toEqual([
    ['alpha', 'app@shop.example'],
    ['beta', 'app@shop.example'],
  ])
  const refused = await send(otherKey, 'alpha@mailhatch.test')
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { Error: 'The mail was received, but this key sees no message of it.' },
  ])
})

test('without a key, the port serves the first team, and the API refuses', async () => {
  const { doors } = await start()
  expect((await ask(`${doors[0]}/api/v1/messages`)).status).toBe(200)
  expect((await ask(`${doors[1]}/api/v1/messages`)).status).toBe(401)
  expect((await ask(`${doors[1]}/livez`)).status).toBe(200)
})

test('a message outside of the view of a key is the same 404 as an unknown one, for every path', async () => {
  const { doors, alphaKey } = await start()
  const { messages } = JSON.parse((await ask(`${doors[0]}/api/v1/messages`)).text) as { messages: { ID: string }[] }
  const [beta, alpha] = messages.map(({ ID }) => ID)
  const paths = ['', '/headers', '/raw', '/part/0', '/part/0/thumb', '/html-check'].map(
    (end) => `/api/v1/message/ID${end}`,
  )
  for (const path of [...paths, '/view/ID.txt', '/view/ID.html', '/view/ID']) {
    const get = (id: string) => ask(`${doors[1]}${path.replace('ID', id)}`, basic('', alphaKey))
    const [own, hidden, unknown] = await Promise.all([get(alpha!), get(beta!), get('0'.repeat(22))])
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text])
    // A mail of text alone has no part and no HTML.
    expect(own.status === 404).toBe(/part\/0|html$/.test(path))
  }
})

test('deleting and sending need a key for everything, and other keys change nothing', async () => {
  const { doors, alphaKey, readerKey, apiKey } = await start()
  for (const door of doors) {
    for (const key of [alphaKey, readerKey]) {
      for (const [method, path] of [
        ['DELETE', '/api/v1/messages'],
        ['DELETE', '/api/v1/search?query=for'],
        ['POST', '/api/v1/send'],
      ] as const) {
        expect((await ask(door + path, basic('', key), method)).status).toBe(403)
      }
    }
  }
  const count = async () => JSON.parse((await ask(`${doors[0]}/api/v1/messages`)).text).total as number
  expect(await count()).toBe(2)
  expect((await ask(`${doors[1]}/api/v1/messages`, basic('', apiKey), 'DELETE')).text).toBe('ok')
  expect(await count()).toBe(0)
})

test('no web page can reach the port: by its origin, by another name, or with remembered credentials', async () => {
  const { doors, apiKey } = await start()
  const port = new URL(doors[0]!).port
  const page = '/api/v1/messages'
  const status = async (door: string, headers: Record<string, string>) => (await ask(door + page, headers)).status
  for (const door of doors) {
    const key = basic('', apiKey)
    expect(await status(door, key)).toBe(200)
    expect(await status(door, { ...key, 'sec-fetch-site': 'none' })).toBe(200)
    expect(await status(door, { ...key, origin: 'https://evil.example' })).toBe(403)
    expect(await status(door, { ...key, origin: 'null' })).toBe(403)
    // As clients that are no browsers send it.
    expect(await status(door, { ...key, origin: new URL(door).origin })).toBe(200)
    expect(await status(door, { ...key, origin: 'http://localhost:1' })).toBe(403)
    expect(await status(door, { ...key, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await status(door, { ...key, 'sec-fetch-site': 'same-site' })).toBe(403)
  }
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `app.localhost:${port}`]) {
    expect(await status(doors[0]!, { host })).toBe(200)
  }
  for (const host of [`evil.example:${port}`, `localhost.evil.example:${port}`, `localhost:${port}@evil.example`]) {
    expect([400, 403]).toContain(await status(doors[0]!, { host }))
  }
})

test('a page of another site that the browser does not name is refused by its address, and can use no response', async () => {
  const { doors, apiKey } = await start()
  const [open, keyed] = [`${doors[0]}/api/v1/messages`, `${doors[1]}/api/v1/messages`]
  const { host } = new URL(open)
  for (const referer of [
    'https://evil.example/page',
    `http://evil.example/?${host}`,
    'http://localhost:1/',
    'nonsense',
  ]) {
    expect((await ask(open, { referer })).status).toBe(403)
    // Below our API, proxies may have changed the name of the host, and a page has no key.
    expect((await ask(keyed, { referer, ...basic('', apiKey) })).status).toBe(200)
  }
  expect((await ask(open, { referer: `http://${host}/view/latest.html` })).status).toBe(200)
  const others = ['/livez', '/', '/view/latest.txt', '/api/v1/message/latest/raw', '/api/v1/nothing']
  const paths = [...others.map((path) => doors[0] + path), open, keyed]
  for (const { headers } of await Promise.all(paths.map((path) => ask(path)))) {
    expect(headers['cross-origin-resource-policy']).toBe('same-origin')
  }
})

test('a page of an allowed origin can read, also after a preflight request', async () => {
  const origin = 'https://app.example'
  const { compatUrl, url, apiKey } = await startServer({
    COMPAT: 'mailpit',
    COMPAT_PORT: '0',
    ALLOWED_API_ORIGINS: origin,
  })
  for (const door of [compatUrl, `${url}/compat/mailpit`]) {
    const page = `${door}/api/v1/messages`
    const preflight = await ask(page, { origin, 'access-control-request-method': 'DELETE' }, 'OPTIONS')
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
      204,
      expect.stringContaining('DELETE'),
    ])
    const answer = await ask(page, { origin, 'sec-fetch-site': 'cross-site', ...basic('', apiKey) })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin])
    expect(
      (await ask(page, { origin: 'https://evil.example' }, 'OPTIONS')).headers['access-control-allow-origin'],
    ).toBeUndefined()
  }
  expect((await ask(`${compatUrl}/api/v1/messages`, { referer: `${origin}/page` })).status).toBe(200)
})

test('WebSockets follow the same rules', async () => {
  const { doors, apiKey } = await start()
  const open = (door: string, headers: Record<string, string>) => askWebSocket(`${door}/api/events`, headers)
  expect(await open(doors[0]!, {})).toBe(101)
  expect(await open(doors[1]!, basic('', apiKey))).toBe(101)
  expect(await open(doors[1]!, {})).toBe(401)
  expect(await open(doors[0]!, basic('', 'wrong'))).toBe(401)
  expect(await open(doors[0]!, { origin: 'https://evil.example' })).toBe(403)
  expect(await open(doors[0]!, { host: 'evil.example' })).toBe(403)
  // Without a WebSocket there, it is an ordinary request.
  expect((await ask(`${doors[0]}/api/v1/messages`, { connection: 'upgrade', upgrade: 'websocket' })).status).toBe(200)
})

test('mail is shown without scripts, in an origin of its own, and files are only saved', async () => {
  const { doors, sendMail } = await start()
  await sendMail({
    to: 'alpha@mailhatch.test',
    subject: 'Hostile',
    html: '<p>Seen</p><script>alert(1)</script><img src=x onerror=alert(1)><img src="https://evil.example/x.png">',
    text: '<script>alert(1)</script>',
    attachments: [{ filename: 'page.html', contentType: 'text/html', content: '<script>alert(1)</script>' }],
  })
  const door = doors[0]!
  await new MailpitClient(door).waitForMessage({ query: 'subject:Hostile' })
  const [html, text, raw, part, json] = await Promise.all(
    [
      '/view/latest.html',
      '/view/latest.txt',
      '/api/v1/message/latest/raw',
      '/api/v1/message/latest/part/0',
      '/api/v1/message/latest',
    ].map((path) => ask(door + path)),
  )
  expect(html!.text).toContain('Seen')
  expect(html!.text).not.toMatch(/alert|evil\.example/)
  for (const page of [html!, text!])
    expect(page.headers['content-security-policy']).toMatch(/^sandbox .*default-src 'none'/)
  for (const { headers } of [raw!, part!])
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
  expect([text, raw].map((one) => one!.headers['content-type'])).toEqual(Array(2).fill('text/plain; charset=utf-8'))
  expect(part!.headers['content-disposition']).toBe('attachment; filename="page.html"')
  for (const { headers } of [html!, text!, raw!, part!, json!])
    expect(headers['x-content-type-options']).toBe('nosniff')
  // As in Mailpit, the JSON has the HTML of the mail.
  expect(json!.text).toContain('alert(1)')
})

test('without the setting, there is no door', async () => {
  const { url, apiKey } = await startServer()
  expect((await ask(`${url}/compat/mailpit/api/v1/messages`, basic('', apiKey))).status).toBe(404)
})

test('the setting alone gives the ports and the addresses of Mailpit, and other settings win', () => {
  const given = ({ smtpPort, compatPort, compatHost, catchAll }: Config) => ({
    smtpPort,
    compatPort,
    compatHost,
    catchAll,
  })
  const door = { compatPort: 8025, compatHost: '127.0.0.1' }
  expect(given(readConfig('serve', { COMPAT: 'mailpit' }))).toEqual({ smtpPort: 1025, catchAll: 'bootstrap', ...door })
  expect(given(readConfig('serve', {}))).toEqual({ smtpPort: 2525, catchAll: null, ...door })
  const others = {
    COMPAT: 'mailpit',
    SMTP_PORT: '25',
    INBOX_CATCH_ALL: 'team-1',
    COMPAT_PORT: '8026',
    COMPAT_HOST: '::1',
  }
  expect(given(readConfig('serve', others))).toEqual({
    smtpPort: 25,
    catchAll: 'team-1',
    compatPort: 8026,
    compatHost: '::1',
  })
  expect(() => readConfig('serve', { COMPAT: 'mailpit', PORT: '8025' })).toThrow(
    'COMPAT_PORT=8025: must differ from PORT',
  )
  expect(() => readConfig('serve', { COMPAT: 'postbox' })).toThrow('must be one of mailpit, mailhog')
})
