import { expect, test } from 'vitest'
import { startAccounts } from '../support/accounts.ts'
import { openPeople, refusal } from '../support/people.ts'
import { startFileServer } from '../support/file-server.ts'
import { callerOf } from '../support/people.ts'

const server = await startFileServer()
const people = await openPeople(server)
const operator = await people.operator()

const store = (html: string) => server.store({ domain: 'mailhatch.test', rawContent: html })
const view = async (id: string, wish: { remoteImages?: boolean; attachment?: number } = {}) =>
  fetch(server.url + (await operator.call.inbox.messages.view.query({ id, ...wish })).path)

test('the page of a mail has its own origin, runs no scripts and sends no requests', async () => {
  const { id } = await store('<p onclick=x()>Hello <img src="https://shop.example/a.png"></p>')
  const answer = await view(id)
  expect(answer.status).toBe(200)
  const policy = `sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self' http://localhost:${new URL(server.url).port}`
  expect(answer.headers.get('content-security-policy')).toBe(policy)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-site',
    'cache-control': 'no-store',
    'x-dns-prefetch-control': 'off',
  })
  expect(answer.headers.get('x-frame-options')).toBeNull()
  expect(await answer.text()).toMatch(/<p>Hello <img><\/p>$/)
})

test('remote images are in the view that requested them, and in no other', async () => {
  const { id } = await store('<img src="https://shop.example/a.png">')
  const widened = await view(id, { remoteImages: true })
  expect(widened.headers.get('content-security-policy')).toContain('; img-src data: blob: https:;')
  expect(await widened.text()).toContain('<img src="https://shop.example/a.png">')
  const next = await view(id)
  expect(next.headers.get('content-security-policy')).not.toContain('https:;')
  expect(await next.text()).not.toContain('shop.example')
})

test('a view opens once, and not with an invented or changed token', async () => {
  const { id } = await store('<p>once</p>')
  const { path } = await operator.call.inbox.messages.view.query({ id })
  expect((await fetch(server.url + path)).status).toBe(200)
  for (const used of [path, `${path}=`, `${path.slice(0, -2)}AA`, '/view/x', '/view/v1.AAAA', `${path}x`]) {
    const answer = await fetch(server.url + used)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'not_found' })
  }
})

test('mail of another team or deleted mail is not shown', async () => {
  const { id } = await store('<p>ours</p>')
  const { owner } = await people.newTeam()
  expect(await refusal(owner.call.inbox.messages.view.query({ id }))).toMatchObject({ status: 404 })
  const { path } = await operator.call.inbox.messages.view.query({ id })
  await operator.call.inbox.messages.remove.mutate({ id })
  expect((await fetch(server.url + path)).status).toBe(404)
})

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('attached content is shown: raster images in place, text as text, vector images as source', async () => {
  let time = Date.now()
  const { url, sendMail, sdk, openOwner } = await startAccounts({}, () => time)
  await sendMail({
    to: 'qa@mailhatch.test',
    html: '<img src="cid:logo@shop"><img src="cid:script@shop">',
    attachments: [
      { filename: 'logo.png', content: PIXEL, contentType: 'image/png', cid: 'logo@shop' },
      { filename: 'evil.svg', content: '<svg onload="alert(1)">', contentType: 'image/svg+xml', cid: 'script@shop' },
      { filename: 'page.html', content: '<script>alert(1)</script>', contentType: 'text/html' },
      { filename: 'data.bin', content: Buffer.from([0, 1]), contentType: 'application/octet-stream' },
    ],
  })
  const { id, attachments } = await sdk.messages.waitFor({ to: 'qa@mailhatch.test' })
  const { cookies } = await openOwner()
  const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const owner = callerOf(url, { cookie })
  const pathOf = async (wish: object = {}) => url + (await owner.inbox.messages.view.query({ id, ...wish })).path
  const text = async (wish?: object) => (await fetch(await pathOf(wish))).text()
  const picture = `<img src="data:image/png;base64,${PIXEL.toString('base64')}"`
  expect(await text()).toContain(`${picture}><img>`)
  const shown = await Promise.all(attachments.map(({ index }) => text({ attachment: index })))
  expect(shown[0]).toContain(picture)
  expect(shown[1]).toContain('<pre>&lt;svg onload=&quot;alert(1)&quot;&gt;</pre>')
  expect(shown[2]).toContain('<pre>&lt;script&gt;alert(1)&lt;/script&gt;</pre>')
  expect(JSON.parse(shown[3]!)).toMatchObject({ code: 'not_found' })
  expect(JSON.parse(await text({ attachment: 9 }))).toMatchObject({ code: 'message_not_found' })

  const late = await pathOf()
  time += 60_000
  expect((await fetch(late)).status).toBe(404)
})
