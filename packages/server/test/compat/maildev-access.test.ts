import { expect, test } from 'vitest'
import { DOWNLOADS_MAX } from '../../src/http/downloads.ts'
import { readConfig } from '../../src/program/config.ts'
import { makeTeam, makeTeamKey } from '../support/made-team.ts'
import { startServer } from '../support/server.ts'
import { ask, basic } from './ask.ts'

async function start() {
  const server = await startServer({ COMPAT: 'maildev', COMPAT_PORT: '0' })
  const emails = async (door: string, headers: Record<string, string> = {}, path = '/email') =>
    JSON.parse((await ask(door + path, headers)).text) as { id: string; subject: string }[]
  for (const [index, name] of ['alpha', 'beta'].entries()) {
    await server.sendMail({ to: `${name}@mailhatch.test`, subject: `For ${name}` })
    await expect.poll(async () => (await emails(server.compatUrl)).length, { timeout: 10_000 }).toBe(index + 1)
  }
  const environment = { DATA_DIR: server.dataDir }
  const { team } = await server.sdk.me()
  return {
    ...server,
    emails,
    doors: [server.compatUrl, `${server.url}/compat/maildev`],
    otherKey: await makeTeam(environment, { name: 'Other', domain: 'other.test', plan: 'pro' }),
    alphaKey: await makeTeamKey(environment, team.name, { mailbox: 'alpha' }),
    readerKey: await makeTeamKey(environment, team.name, { scope: 'email.full' }),
  }
}

test('a key sees its own team or mailbox, on both doors, in every list', async () => {
  const { doors, emails, apiKey, otherKey, alphaKey } = await start()
  for (const door of doors) {
    for (const path of ['/email', '/api/email', '/email?envelope.from.address=sender@shop.example']) {
      const subjects = async (key: string) => (await emails(door, basic('', key), path)).map(({ subject }) => subject)
      expect(await subjects(apiKey)).toEqual(['For alpha', 'For beta'])
      expect(await subjects(alphaKey)).toEqual(['For alpha'])
      expect(await subjects(otherKey)).toEqual([])
    }
    const summary = JSON.parse((await ask(`${door}/api/email/summary?search=for`, basic('', alphaKey))).text)
    expect(summary).toMatchObject({ total: 1, storeTotal: 1, unread: 1, items: [{ subject: 'For alpha' }] })
    const refused = await ask(`${door}/email`, basic('', 'wrong'))
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Basic realm="Mailhatch"'])
  }
  expect((await ask(`${doors[1]}/email`)).status).toBe(401)
  for (const path of ['/healthz', '/api/healthz']) expect((await ask(`${doors[1]}${path}`)).text).toBe('true')
})

test('an email outside of the view of a key is the same 404 as an unknown one, for every path', async () => {
  const { doors, emails, alphaKey } = await start()
  const [alpha, beta] = await emails(doors[0]!)
  const ends = ['', '/html', '/source', '/download', '/attachment/x', '/relay', '/relay/x@shop.example']
  for (const path of ends.flatMap((end) => [`/email/ID${end}`, `/api/email/ID${end}`])) {
    const method = path.includes('relay') ? 'POST' : 'GET'
    const get = (id: string) => ask(`${doors[1]}${path.replace('ID', id)}`, basic('', alphaKey), method)
    const [own, hidden, unknown] = await Promise.all([get(alpha!.id), get(beta!.id), get('0'.repeat(22))])
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text])
    // A mail of text alone has no file, and no HTML in version 3.
    expect(own.status === 404).toBe(/attachment|^\/api.*html/.test(path))
  }
})

test('deleting and marking need a key for everything, and other keys change nothing', async () => {
  const { doors, emails, alphaKey, readerKey, apiKey } = await start()
  const [alpha] = await emails(doors[0]!)
  for (const door of doors) {
    for (const key of [alphaKey, readerKey]) {
      for (const [method, path] of [
        ['DELETE', '/email/all'],
        ['DELETE', '/api/email/all'],
        ['DELETE', `/email/${alpha!.id}`],
        ['DELETE', `/api/email/${alpha!.id}`],
        ['PATCH', '/email/read-all'],
        ['PATCH', '/api/email/read-all'],
        ['POST', '/api/email/delete'],
      ] as const) {
        expect((await ask(door + path, basic('', key), method)).status).toBe(403)
      }
    }
  }
  expect(await emails(doors[0]!, {}, '/api/email?read=false')).toHaveLength(2)
  const whole = basic('', apiKey)
  expect((await ask(`${doors[1]}/email/read-all`, whole, 'PATCH')).text).toBe('2')
  expect(await emails(doors[0]!, {}, '/api/email?read=true')).toHaveLength(2)
  expect((await ask(`${doors[1]}/email/${alpha!.id}`, whole, 'DELETE')).text).toBe('true')
  expect(await emails(doors[0]!)).toHaveLength(1)
  expect((await ask(`${doors[1]}/email/all`, whole, 'DELETE')).text).toBe('true')
  expect(await emails(doors[0]!)).toEqual([])
})

test('no web page can reach the port, by its origin or by another name', async () => {
  const { doors, apiKey } = await start()
  const status = async (door: string, headers: Record<string, string>) => (await ask(`${door}/email`, headers)).status
  for (const door of doors) {
    const key = basic('', apiKey)
    expect(await status(door, key)).toBe(200)
    expect(await status(door, { ...key, origin: 'https://evil.example' })).toBe(403)
    expect(await status(door, { ...key, 'sec-fetch-site': 'cross-site' })).toBe(403)
  }
  const port = new URL(doors[0]!).port
  expect(await status(doors[0]!, { host: `localhost:${port}` })).toBe(200)
  expect(await status(doors[0]!, { host: `evil.example:${port}` })).toBe(403)
  // There is no WebSocket, so it is an ordinary request.
  expect(await status(doors[0]!, { connection: 'upgrade', upgrade: 'websocket' })).toBe(200)
})

test('mail is shown without scripts, in an origin of its own, and files are only saved', async () => {
  const { doors, emails, sendMail } = await start()
  await sendMail({
    to: 'alpha@mailhatch.test',
    subject: 'Hostile',
    html: '<p>Seen</p><script>alert(1)</script><img src=x onerror=alert(1)><img src="https://evil.example/x.png">',
    attachments: [{ filename: 'page.html', contentType: 'text/html', content: '<script>alert(1)</script>' }],
  })
  const door = doors[0]!
  const hostile = '/api/email?subject=Hostile'
  await expect.poll(async () => (await emails(door, {}, hostile)).length, { timeout: 10_000 }).toBe(1)
  const [email] = JSON.parse((await ask(door + hostile)).text)
  const file = email.attachments[0].generatedFileName as string
  for (const path of [`/email/${email.id}`, `/api/email/${email.id}`]) {
    const get = (end: string) => ask(`${door}${path}${end}`)
    const [html, source, download, saved] = await Promise.all(
      ['/html', '/source', '/download', `/attachment/${file}`].map(get),
    )
    expect(html!.text).toContain('Seen')
    expect(html!.text).not.toMatch(/alert|evil\.example/)
    expect(html!.headers['content-security-policy']).toMatch(/^sandbox .*default-src 'none'/)
    for (const { headers } of [source!, download!, saved!]) {
      expect(headers['content-security-policy']).toBe("default-src 'none'; sandbox")
      expect(headers['x-content-type-options']).toBe('nosniff')
    }
    expect(source!.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(download!.headers['content-disposition']).toBe(`attachment; filename="${email.id}.eml"`)
    expect(saved!.headers['content-disposition']).toBe('attachment; filename="page.html"')
  }
})

test('a key has a limited number of downloads at once', async () => {
  const { doors, emails, sendMail } = await start()
  const door = doors[0]!
  // Larger than what a connection takes before it is read.
  await sendMail({ to: 'big@mailhatch.test', subject: 'Big', text: 'x'.repeat(8 * 1024 * 1024) })
  await expect.poll(async () => (await emails(door, {}, '/email?subject=Big')).length, { timeout: 30_000 }).toBe(1)
  const { id } = (await emails(door, {}, '/email?subject=Big'))[0]!
  const open = await Promise.all(Array.from({ length: DOWNLOADS_MAX }, () => fetch(`${door}/email/${id}/source`)))
  expect(open.map(({ status }) => status)).toEqual(Array(DOWNLOADS_MAX).fill(200))
  expect((await ask(`${door}/email/${id}/source`)).status).toBe(429)
  for (const { body } of open) await body!.cancel()
  await expect.poll(async () => (await ask(`${door}/email/${id}/source`)).status).toBe(200)
})

test('without the setting, or with that for another, there is no door', async () => {
  const others: Record<string, string>[] = [{}, { COMPAT: 'mailpit', COMPAT_PORT: '0' }]
  for (const settings of others) {
    const { url, apiKey } = await startServer(settings)
    expect((await ask(`${url}/compat/maildev/email`, basic('', apiKey))).status).toBe(404)
  }
  expect(readConfig('serve', { COMPAT: 'maildev' })).toMatchObject({ smtpPort: 1025, compatPort: 8025 })
  expect(() => readConfig('serve', { COMPAT: 'nothing' })).toThrow(/mailpit, mailhog, maildev/)
})
