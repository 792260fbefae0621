import { expect, test } from 'vitest'
import { readConfig } from '../../src/program/config.ts'
import { makeTeam, makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'
import { ask, askWebSocket, basic } from './ask.ts'

type Listed = { ID: string; Content: { Headers: Record<string, string[]> } }

async function start() {
  const server = await startServer({ COMPAT: 'mailhog', COMPAT_PORT: '0' })
  const list = async () => JSON.parse((await ask(`${server.compatUrl}/api/v1/messages`)).text) as Listed[]
  for (const name of ['alpha', 'beta']) {
    await server.sendMail({ to: `${name}@mailhatch.test`, subject: `For ${name}`, text: 'one', html: '<p>two</p>' })
  }
  await expect.poll(list).toHaveLength(2)
  const environment = { DATA_DIR: server.dataDir }
  const { team } = await server.sdk.me()
  return {
    ...server,
    list,
    doors: [server.compatUrl, `${server.url}/compat/mailhog`],
    otherKey: await makeTeam(environment, { name: 'Other', domain: 'other.test', plan: 'pro' }),
    alphaKey: await makeTeamKey(environment, team.name, { mailbox: 'alpha' }),
    readerKey: await makeTeamKey(environment, team.name, { scope: 'email.full' }),
  }
}

test('a key sees its own team or mailbox on both doors, and the port without a key the first team', async () => {
  const { doors, apiKey, otherKey, alphaKey } = await start()
  for (const door of doors) {
    const subjects = async (path: string, headers: Record<string, string>) => {
      const body = JSON.parse((await ask(door + path, headers)).text) as Listed[] | { total: number; items: Listed[] }
      const { items, total } = Array.isArray(body) ? { items: body, total: body.length } : body
      expect(total).toBe(items.length)
      return items.map(({ Content }) => Content.Headers['Subject']![0])
    }
    for (const path of ['/api/v1/messages', '/api/v2/messages', '/api/v2/search?kind=to&query=mailhatch']) {
      expect(await subjects(path, basic('', apiKey))).toEqual(['For beta', 'For alpha'])
      expect(await subjects(path, basic('any name', alphaKey))).toEqual(['For alpha'])
      expect(await subjects(path, { authorization: `Bearer ${otherKey}` })).toEqual([])
      expect((await ask(door + path, basic('', 'wrong'))).status).toBe(401)
    }
  }
  expect((await ask(`${doors[0]}/api/v1/messages`)).status).toBe(200)
  expect((await ask(`${doors[1]}/api/v1/messages`)).status).toBe(401)
})

test('a message outside of the view of a key is like an unknown one, for every path', async () => {
  const { doors, list, alphaKey } = await start()
  const [beta, alpha] = (await list()).map(({ ID }) => ID)
  for (const path of ['', '/download', '/mime/part/0/download']) {
    const get = (id: string) => ask(`${doors[1]}/api/v1/messages/${id}${path}`, basic('', alphaKey))
    const [own, hidden, unknown] = await Promise.all([get(alpha!), get(beta!), get('0'.repeat(22))])
    expect([hidden.status, hidden.text]).toEqual([unknown.status, unknown.text])
    expect([own.status, own.text === unknown.text]).toEqual([200, false])
  }
})

test('deleting needs a key for everything, and other keys change nothing', async () => {
  const { doors, list, alphaKey, readerKey, apiKey } = await start()
  const [beta, alpha] = (await list()).map(({ ID }) => ID)
  for (const door of doors) {
    for (const key of [alphaKey, readerKey]) {
      for (const path of ['', `/${alpha}`, `/${beta}`]) {
        expect((await ask(`${door}/api/v1/messages${path}`, basic('', key), 'DELETE')).status).toBe(403)
      }
    }
  }
  expect(await list()).toHaveLength(2)
  const remove = (path: string) => ask(`${doors[1]}/api/v1/messages${path}`, basic('', apiKey), 'DELETE')
  expect((await remove(`/${beta}`)).status).toBe(200)
  expect((await list()).map(({ ID }) => ID)).toEqual([alpha])
  expect((await remove('')).status).toBe(200)
  expect(await list()).toEqual([])
})

test('no web page can reach messages, the event stream or the WebSocket', async () => {
  const { doors, apiKey } = await start()
  const refused: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const door of doors) {
    for (const path of ['/api/v1/messages', '/api/v1/events']) {
      for (const headers of refused) {
        expect((await ask(door + path, { ...basic('', apiKey), ...headers })).status).toBe(403)
      }
      expect((await ask(door + path, basic('', apiKey), 'HEAD')).status).toBe(200)
      expect((await ask(door + path, basic('', 'wrong'), 'HEAD')).status).toBe(401)
    }
    const webSocket = `${door}/api/v2/websocket`
    expect(await askWebSocket(webSocket, basic('', apiKey))).toBe(101)
    expect(await askWebSocket(webSocket, basic('', 'wrong'))).toBe(401)
    expect(await askWebSocket(webSocket, { ...basic('', apiKey), origin: 'https://evil.example' })).toBe(403)
  }
  for (const path of ['/api/v1/messages', '/api/v1/events']) {
    expect((await ask(doors[0]! + path, { host: 'evil.example' })).status).toBe(403)
    expect((await ask(doors[1]! + path)).status).toBe(401)
  }
  expect(await askWebSocket(`${doors[0]}/api/v2/websocket`, { host: 'evil.example' })).toBe(403)
  expect(await askWebSocket(`${doors[0]}/api/v2/websocket`)).toBe(101)
  expect(await askWebSocket(`${doors[1]}/api/v2/websocket`)).toBe(401)
})

test('files are only saved, and the headers of a part do not become headers of the response', async () => {
  const { compatUrl, list, sendMail } = await start()
  const part = [
    'Content-Type: text/html',
    'Set-Cookie: a=b',
    'Content-Disposition: inline; filename="page.html"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('<script>alert(1)</script>').toString('base64'),
  ]
  const head = ['From: a@shop.example', 'Subject: Hostile', 'Content-Type: multipart/mixed; boundary=b', '']
  const raw = [...head, '--b', ...part, '--b', '', 'second', '--b--', ''].join('\r\n')
  await sendMail({ envelope: { from: 'a@shop.example', to: 'alpha@mailhatch.test' }, raw })
  await expect.poll(list).toHaveLength(3)
  const [{ ID }] = (await list()) as [Listed]
  const get = (path: string) => ask(`${compatUrl}/api/v1/messages/${ID}${path}`)
  const [mail, html, plain] = await Promise.all(
    ['/download', '/mime/part/0/download', '/mime/part/1/download'].map(get),
  )
  expect(mail!.text).toBe(raw)
  expect(html!.text).toBe('<script>alert(1)</script>')
  expect(plain!.text).toContain('second')
  for (const { headers } of [mail!, html!, plain!]) {
    expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['set-cookie']).toBeUndefined()
  }
  expect([mail, html, plain].map((one) => one!.headers['content-disposition'])).toEqual([
    `attachment; filename="${ID}.eml"`,
    'attachment; filename="page.html"',
    `attachment; filename="${ID}-part-1"`,
  ])
})

test('the setting gives the ports of MailHog, and another name has no door', async () => {
  const { smtpPort, compatPort, catchAll } = readConfig('serve', { COMPAT: 'mailhog' })
  expect({ smtpPort, compatPort, catchAll }).toEqual({ smtpPort: 1025, compatPort: 8025, catchAll: 'bootstrap' })
  const { url, apiKey } = await startServer({ COMPAT: 'mailhog', COMPAT_PORT: '0' })
  const status = async (name: string) => (await ask(`${url}/compat/${name}/api/v1/messages`, basic('', apiKey))).status
  expect([await status('mailhog'), await status('mailpit')]).toEqual([200, 404])
})
