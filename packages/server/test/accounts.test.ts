import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashApiKey } from '../src/http/authenticate.ts'
import { createKey } from '../src/manage/keys.ts'
import { startSession } from '../src/manage/sessions.ts'
import { newId, newSecret, secureRandom } from '../src/random.ts'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'
import { ask } from './support/ask.ts'
import { openBrowser } from './support/browser.ts'
import { startFileServer } from './support/file-server.ts'

/** For tests that change nothing. */
const unchanged = await startFileServer({ SIGN_UP: 'open' })

type Listed = { data: { id: string; isCurrent: boolean; userAgent: string; address: string }[] }

describe('signing in and out', () => {
  test('by link, then with the chosen password', async () => {
    const { giveLink, newBrowser, signIn } = await startAccounts()
    const owner = newBrowser()
    expect(await owner.isSignedIn()).toBe(false)
    expect((await owner.post('/auth/link', { token: await giveLink(OWNER, 'sign-in') })).status).toBe(200)
    expect((await owner.post('/auth/password', { new: PASSWORD })).status).toBe(200)
    expect(await owner.isSignedIn()).toBe(true)

    const elsewhere = newBrowser()
    const { status, body, headers } = await signIn(elsewhere, ' Owner@Mailhatch.TEST ')
    expect(status).toBe(200)
    expect(body.data).toEqual({ status: 'signed_in', user: { id: expect.any(String), email: OWNER, name: 'Owner' } })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(await elsewhere.isSignedIn()).toBe(true)

    const [kept] = elsewhere.cookies
    expect((await elsewhere.post('/auth/sign-out')).status).toBe(200)
    expect(elsewhere.cookies.size).toBe(0)
    // A kept copy of the cookie is worthless too.
    elsewhere.cookies.set(...kept!)
    expect(await elsewhere.isSignedIn()).toBe(false)
    expect(await owner.isSignedIn()).toBe(true)
    // Signing out twice has the same effect.
    expect((await elsewhere.post('/auth/sign-out')).status).toBe(200)
  })

  test('an unknown address and a wrong password have the same error', async () => {
    const { openOwner, newBrowser, signIn } = await startAccounts()
    await openOwner()
    const wrong = await signIn(newBrowser(), OWNER, 'not the password')
    const unknown = await signIn(newBrowser(), 'nobody@mailhatch.test', 'not the password')
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials'])
    expect({ ...unknown.body, requestId: '' }).toEqual({ ...wrong.body, requestId: '' })
    expect(unknown.status).toBe(wrong.status)
    expect([...unknown.setCookies, ...wrong.setCookies]).toEqual([])
    expect((await signIn(newBrowser(), OWNER)).status).toBe(200)
  })

  test('an account without a password does not accept an empty one', async () => {
    const { newBrowser, signIn } = await startAccounts()
    expect((await signIn(newBrowser(), OWNER, '')).body.code).toBe('invalid_credentials')
  })

  test.each([
    ['/auth/sign-in', { email: OWNER }],
    ['/auth/sign-in', { email: OWNER, password: 'x'.repeat(201) }],
    ['/auth/link', {}],
    ['/auth/reset', { token: 'x', password: 'too short' }],
    ['/auth/check', { token: '' }],
    ['/auth/reset/request', { email: 7 }],
  ])('%s with an invalid body: %j', async (path, body) => {
    const answer = await openBrowser(unchanged.url).post(path, body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(answer.body.details).toBeDefined()
  })

  test('the sign-in methods are public', async () => {
    const { body } = await openBrowser(unchanged.url).get('/auth/methods')
    expect(body.data).toEqual({ password: true, signUp: 'open', oidc: false, mail: false })
  })

  test.each(['GET /auth/sessions', 'DELETE /auth/sessions/x', 'POST /auth/sign-out-everywhere', 'POST /auth/password'])(
    '%s needs a session',
    async (route) => {
      // Each contains only these two words.
      const [method, path] = route.split(' ') as [string, string]
      const { status, body } = await openBrowser(unchanged.url).send(
        method,
        path,
        method === 'POST' ? { body: {} } : {},
      )
      expect([status, body.code]).toEqual([401, 'unauthorized'])
    },
  )
})

describe('sessions', () => {
  test('are listed and ended one by one; a user cannot end those of another', async () => {
    const { openOwner, openMember, newBrowser, signIn } = await startAccounts()
    const owner = await openOwner()
    const phone = newBrowser('Phoné <b>')
    await signIn(phone, OWNER)
    const { data } = (await owner.get<Listed>('/auth/sessions')).body
    expect(data.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const other = data.find(({ isCurrent }) => !isCurrent)!
    expect(other).toMatchObject({ userAgent: 'Phon <b>', address: '127.0.0.1' })

    const member = await openMember('ada@corp.example')
    expect((await member.remove(`/auth/sessions/${other.id}`)).status).toBe(404)
    expect(await phone.isSignedIn()).toBe(true)
    expect((await owner.remove(`/auth/sessions/${other.id}`)).status).toBe(200)
    expect(await phone.isSignedIn()).toBe(false)
    expect(await owner.isSignedIn()).toBe(true)
  })

  test('all end with sign-out-everywhere, but not those of other users', async () => {
    const { openOwner, openMember, newBrowser, signIn } = await startAccounts()
    const owner = await openOwner()
    const member = await openMember('ada@corp.example')
    const phone = newBrowser()
    await signIn(phone, OWNER)
    expect((await owner.post('/auth/sign-out-everywhere')).status).toBe(200)
    expect([await owner.isSignedIn(), await phone.isSignedIn()]).toEqual([false, false])
    expect(await member.isSignedIn()).toBe(true)
  })

  test('a new password ends the other sessions, and needs the old one', async () => {
    const { openOwner, newBrowser, signIn } = await startAccounts()
    const owner = await openOwner()
    const thief = newBrowser()
    await signIn(thief, OWNER)
    const change = { current: 'not the password', new: 'a new passphrase' }
    expect((await owner.post('/auth/password', change)).body.code).toBe('invalid_credentials')
    expect((await owner.post('/auth/password', { new: change.new })).body.code).toBe('invalid_credentials')
    expect(await thief.isSignedIn()).toBe(true)
    expect((await owner.post('/auth/password', { ...change, current: PASSWORD })).status).toBe(200)
    expect([await owner.isSignedIn(), await thief.isSignedIn()]).toEqual([true, false])
    expect((await signIn(newBrowser(), OWNER)).status).toBe(401)
    expect((await signIn(newBrowser(), OWNER, change.new)).status).toBe(200)
  })

  test('end 30 days after their last use, which is stored once an hour', async () => {
    let at = Date.now()
    const { openOwner, store } = await startAccounts({}, () => at)
    const owner = await openOwner()
    const day = 86_400_000
    at += 29 * day
    expect(await owner.isSignedIn()).toBe(true)
    at += 29 * day
    expect(await owner.isSignedIn()).toBe(true)
    const seen = async () => {
      const user = await store.findUser({ email: OWNER })
      return (await store.listSessions(user!.id, at))[0]!.lastSeenAt
    }
    expect(await seen()).toBe(at)
    at += 59 * 60_000
    expect(await owner.isSignedIn()).toBe(true)
    expect(await seen()).toBe(at - 59 * 60_000)
    at += 30 * day - 59 * 60_000
    expect(await owner.isSignedIn()).toBe(false)
  })

  test('are limited to a hundred per user; the least recently used one ends', async () => {
    const { openOwner, store } = await startAccounts()
    const owner = await openOwner()
    const user = await store.findUser({ email: OWNER })
    const add = async (count: number) => {
      const at = Date.now() + count
      const times = { createdAt: at, lastSeenAt: at, expiresAt: at + 60_000 }
      const where = { userId: user!.id, userAgent: '', address: '' }
      await store.addSession({ id: newId(at), hash: hash('sha256', `${count}`), ...times, ...where })
    }
    for (let count = 1; count <= 99; count++) await add(count)
    expect(await owner.isSignedIn()).toBe(true)
    await add(100)
    expect(await store.listSessions(user!.id, Date.now())).toHaveLength(100)
    expect(await owner.isSignedIn()).toBe(false)
  })

  test('session fixation: a cookie from before the sign-in is worthless afterwards', async () => {
    const { openMember, openOwner, newBrowser, signIn } = await startAccounts()
    await openOwner()
    const victim = newBrowser()
    victim.cookies.set('mailhatch', 'chosen-by-the-attacker')
    await signIn(victim, OWNER)
    const attacker = newBrowser()
    attacker.cookies.set('mailhatch', 'chosen-by-the-attacker')
    expect([await victim.isSignedIn(), await attacker.isSignedIn()]).toEqual([true, false])

    // The same with a valid session: the attacker's own.
    const member = await openMember('mallory@corp.example')
    const planted = member.cookies.get('mailhatch')!
    const second = newBrowser()
    second.cookies.set('mailhatch', planted)
    await signIn(second, OWNER)
    expect(second.cookies.get('mailhatch')).not.toBe(planted)
    expect([await second.isSignedIn(), await member.isSignedIn()]).toEqual([true, false])
  })
})

describe('cross-site requests', () => {
  test('are refused with a session, and change nothing', async () => {
    const { openOwner, url } = await startAccounts()
    const owner = await openOwner()
    const foreign = ['https://evil.example', 'null', 'http://127.0.0.1:1', url.replace('http', 'https'), null]
    for (const origin of foreign) {
      const answer = await owner.send('POST', '/auth/sign-out-everywhere', { body: {}, headers: { origin } })
      expect([origin, answer.status, answer.body.code]).toEqual([origin, 403, 'forbidden'])
    }
    expect(await owner.isSignedIn()).toBe(true)
    expect((await owner.post('/auth/sign-out-everywhere')).status).toBe(200)
  })

  test('a foreign origin cannot sign a browser in either; a program without cookies needs no origin', async () => {
    const { openOwner, newBrowser } = await startAccounts()
    await openOwner()
    const body = { email: OWNER, password: PASSWORD }
    const foreign = await newBrowser().send('POST', '/auth/sign-in', {
      body,
      headers: { origin: 'https://evil.example' },
    })
    expect(foreign.status).toBe(403)
    expect(foreign.setCookies).toEqual([])
    expect((await newBrowser().send('POST', '/auth/sign-in', { body, headers: { origin: null } })).status).toBe(200)
  })

  test('over https the only allowed origins are APP_URL and the configured ones', async () => {
    const environment = { APP_URL: 'https://mail.example/app', ALLOWED_API_ORIGINS: 'https://admin.example' }
    const { newBrowser, giveLink, url } = await startAccounts(environment)
    const statuses = []
    for (const origin of ['https://mail.example', 'https://admin.example', url, 'http://mail.example']) {
      const body = { token: await giveLink(OWNER, 'sign-in') }
      statuses.push((await newBrowser().send('POST', '/auth/link', { body, headers: { origin } })).status)
    }
    expect(statuses).toEqual([200, 200, 403, 403])
  })
})

describe('the cookie', () => {
  test.each([
    ['http://localhost:3003', /^mailhatch=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/],
    ['https://mail.example', /^__Host-mailhatch=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure$/],
  ])('where APP_URL is %s', async (appUrl, cookie) => {
    const { url, giveLink } = await startAccounts({ APP_URL: appUrl })
    const browser = openBrowser(url, { origin: appUrl })
    const { setCookies } = await browser.post('/auth/link', { token: await giveLink(OWNER, 'sign-in') })
    expect(setCookies).toEqual([expect.stringMatching(cookie)])
    expect(await browser.isSignedIn()).toBe(true)
    const out = await browser.post('/auth/sign-out')
    expect(out.setCookies).toEqual([expect.stringMatching(/=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax/)])
  })
})

test('a user who is removed from a team loses it at once, with the keys they created', async () => {
  const { openMember, openOwner, store, url } = await startAccounts()
  await openOwner()
  const member = await openMember('ada@corp.example')
  const user = (await store.findUser({ email: 'ada@corp.example' }))!
  const team = (await store.findTeam(user.teamId!))!
  const ports = { store, newId, now: Date.now, random: secureRandom, hashKey: hashApiKey }
  const wish = { name: 'ci', scope: 'api.full' as const, mailbox: null }
  const { key } = await createKey(ports, team, { ...wish, createdBy: user.id })
  const { key: operators } = await createKey(ports, team, wish)
  const status = async (of: string) => (await ask(`${url}/v1/me`, { key: of })).status
  expect([await status(key), await status(operators)]).toEqual([200, 200])
  const tokenHash = hash('sha256', member.cookies.get('mailhatch')!)
  expect((await store.findSession(tokenHash, Date.now()))?.signedIn).toMatchObject({
    role: 'member',
    team: { id: team.id },
  })

  await store.removeMember({ teamId: team.id, userId: user.id }, Date.now())
  expect([await status(key), await status(operators)]).toEqual([401, 200])
  expect((await store.findSession(tokenHash, Date.now()))?.signedIn).toMatchObject({ role: null, team: null })
  // The account stays theirs.
  expect(await member.isSignedIn()).toBe(true)
  // No key is created at the last moment, which would give access again when they come back.
  await expect(createKey(ports, team, { ...wish, createdBy: user.id })).rejects.toMatchObject({ code: 'forbidden' })
  expect((await store.listKeys(team.id)).filter(({ createdBy }) => createdBy === user.id)).toEqual([])
})

test('keys created before the address was claimed end with the claim; later ones stay', async () => {
  const { giveLink, newBrowser, openMember, openOwner, store, url } = await startAccounts()
  await openOwner()
  await openMember('ada@corp.example')
  const user = (await store.findUser({ email: 'ada@corp.example' }))!
  const team = (await store.findTeam(user.teamId!))!
  const ports = { store, newId, now: Date.now, random: secureRandom, hashKey: hashApiKey }
  const wish = { name: 'ci', scope: 'api.full' as const, mailbox: null }
  const status = async (of: string) => (await ask(`${url}/v1/me`, { key: of })).status
  const reset = async () => {
    const token = await giveLink(user.email, 'reset')
    expect((await newBrowser().post('/auth/reset', { token, password: PASSWORD })).status).toBe(200)
  }
  const { key: early } = await createKey(ports, team, { ...wish, createdBy: user.id })
  const { key: operators } = await createKey(ports, team, wish)
  expect([await status(early), await status(operators)]).toEqual([200, 200])
  await reset()
  expect([await status(early), await status(operators)]).toEqual([401, 200])
  const { key: late } = await createKey(ports, team, { ...wish, createdBy: user.id })
  await reset()
  expect(await status(late)).toBe(200)
})

test('a password change during a sign-in with the old password ends that session', async () => {
  const { openOwner, store } = await startAccounts()
  await openOwner()
  const before = (await store.findUser({ email: OWNER }))!
  const ports = { store, newId, newSecret, now: Date.now }
  const client = { userAgent: '', address: '' }
  await startSession(ports, before, client)
  const change = { passwordHash: 'another', at: Date.now(), keepSessionId: null }
  await store.setPassword(before.id, change)
  await expect(startSession(ports, before, client)).rejects.toMatchObject({ code: 'invalid_credentials' })
  expect(await store.listSessions(before.id, Date.now())).toEqual([])
  for (let round = 0; round < 20; round++) {
    const now = (await store.findUser({ id: before.id }))!
    await Promise.all([
      store.setPassword(before.id, { ...change, passwordHash: `another ${round}` }),
      startSession(ports, now, client).catch(() => {}),
    ])
    expect(await store.listSessions(before.id, Date.now())).toEqual([])
  }
  await startSession(ports, { ...before, passwordHash: 'another 19' }, client)
  await startSession(ports, { id: before.id }, client)
  expect(await store.listSessions(before.id, Date.now())).toHaveLength(2)
})
