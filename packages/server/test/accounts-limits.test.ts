import { describe, expect, test } from 'vitest'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'

const MINUTE_MS = 60_000

/** After three attempts a second must pass, which may happen anyway on a busy machine. */
function stoppedClock(): () => number {
  const at = Date.now()
  return () => at
}

describe('guessing passwords', () => {
  test('three attempts have no delay, then each delay doubles; ten attempts in a quarter of an hour', async () => {
    let at = Date.now()
    const { openOwner, newBrowser, signIn } = await startAccounts({}, () => at)
    await openOwner()
    const guess = async (password = 'not the password') => {
      const { status, headers, body } = await signIn(newBrowser(), OWNER, password)
      return body.code === 'rate_limited' && status === 429 ? Number(headers.get('retry-after')) : status
    }
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 401])
    for (const seconds of [1, 2, 4, 8, 16, 32, 64]) {
      // While an attempt has to wait, even the right password is refused, so it reveals nothing.
      expect(await guess(PASSWORD)).toBe(seconds)
      at += seconds * 1_000
      expect(await guess()).toBe(401)
    }
    // That was the tenth; the first was 127 seconds ago.
    expect(await guess(PASSWORD)).toBe(15 * 60 - 127)
    at += 15 * MINUTE_MS - 127_000 - 1
    expect(await guess(PASSWORD)).toBe(1)
    at += 1
    expect(await guess(PASSWORD)).toBe(200)
  })

  test('an account that does not exist is limited in the same way', async () => {
    const { newBrowser, signIn } = await startAccounts({}, stoppedClock())
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await signIn(newBrowser(), 'nobody@x.example')).status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  test('concurrent attempts count too, and other accounts are not affected', async () => {
    const { openOwner, openMember, newBrowser, signIn } = await startAccounts({}, stoppedClock())
    await openOwner()
    await openMember('ada@corp.example')
    const guesses = await Promise.all(Array.from({ length: 20 }, () => signIn(newBrowser(), OWNER, 'not the password')))
    expect(guesses.filter(({ status }) => status === 401)).toHaveLength(3)
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(17)
    expect((await signIn(newBrowser(), 'ada@corp.example')).status).toBe(200)
  })

  test('a sign-in resets the count', async () => {
    const { openOwner, newBrowser, signIn } = await startAccounts()
    await openOwner()
    for (let round = 0; round < 3; round++) {
      expect((await signIn(newBrowser(), OWNER, 'not the password')).status).toBe(401)
      expect((await signIn(newBrowser(), OWNER, 'not the password')).status).toBe(401)
      expect((await signIn(newBrowser(), OWNER)).status).toBe(200)
    }
  })

  test('the current password cannot be guessed with a stolen session either', async () => {
    const { openOwner } = await startAccounts({}, stoppedClock())
    const owner = await openOwner()
    const statuses = []
    for (let count = 0; count < 4; count++) {
      const change = { current: 'not the password', new: 'a new passphrase' }
      statuses.push((await owner.post('/auth/password', change)).status)
    }
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  test('one network address has a hundred failures an hour, for any accounts; other addresses are not affected', async () => {
    let at = Date.now()
    const { openOwner, newBrowser, url } = await startAccounts({ TRUST_PROXY: 'on' }, () => at)
    await openOwner()
    const from = (address: string, path: string, body: object) =>
      newBrowser().send('POST', path, { body, headers: { 'x-forwarded-for': `1.1.1.1, ${address}`, origin: url } })
    const right = { email: OWNER, password: PASSWORD }
    expect((await from('203.0.113.5', '/auth/sign-in', right)).status).toBe(200)
    for (let count = 0; count < 100; count++) {
      const answer = await from('203.0.113.5', '/auth/link', { token: `guess-${count}` })
      expect(answer.body.code).toBe('token_invalid')
    }
    for (const path of ['/auth/link', '/auth/reset', '/auth/check']) {
      const body = { token: 'guess', password: PASSWORD }
      const { status, headers } = await from('203.0.113.5', path, body)
      expect([status, headers.get('retry-after')]).toEqual([429, '3600'])
    }
    expect((await from('203.0.113.5', '/auth/sign-in', right)).status).toBe(429)
    expect((await from('203.0.113.6', '/auth/sign-in', right)).status).toBe(200)
    at += 60 * MINUTE_MS
    expect((await from('203.0.113.5', '/auth/sign-in', right)).status).toBe(200)
  })

  test('wrong passwords from other addresses do not lock the owner out, and count for their own address', async () => {
    const { openOwner, newBrowser, url } = await startAccounts({ TRUST_PROXY: 'on' }, stoppedClock())
    await openOwner()
    const from = async (address: string, password: string) => {
      const headers = { 'x-forwarded-for': address, origin: url }
      return (await newBrowser().send('POST', '/auth/sign-in', { body: { email: OWNER, password }, headers })).status
    }
    const guesses = []
    for (let count = 0; count < 4; count++) guesses.push(await from('203.0.113.5', 'not the password'))
    expect(guesses).toEqual([401, 401, 401, 429])
    expect(await from('203.0.113.6', PASSWORD)).toBe(200)
    // Control: the attacker is still refused, even with the right password.
    expect(await from('203.0.113.5', PASSWORD)).toBe(429)
  })

  test('behind a proxy that is not configured, one client does not use up the attempts of all', async () => {
    const { openOwner, newBrowser, url } = await startAccounts({}, stoppedClock())
    await openOwner()
    const from = async (client: Record<string, string>, path: string, body: object) =>
      (await newBrowser().send('POST', path, { body, headers: { ...client, origin: url } })).status
    const [guesser, other] = [{ 'x-forwarded-for': '203.0.113.5' }, { 'x-forwarded-for': '1.1.1.1, 203.0.113.6' }]
    for (let count = 0; count < 100; count++) expect(await from(guesser, '/auth/link', { token: 'guess' })).toBe(400)
    expect(await from(guesser, '/auth/link', { token: 'guess' })).toBe(429)
    const right = { email: OWNER, password: PASSWORD }
    expect(await from(guesser, '/auth/sign-in', right)).toBe(429)
    expect(await from(other, '/auth/sign-in', right)).toBe(200)
    expect(await from({ forwarded: 'for=203.0.113.7;proto=https' }, '/auth/sign-in', right)).toBe(200)
    // An address that the client claims gives it no additional attempts for one account.
    const guesses = []
    for (let count = 0; count < 4; count++) {
      const wrong = { email: OWNER, password: 'not the password' }
      guesses.push(await from({ 'x-forwarded-for': `198.51.100.${count}` }, '/auth/sign-in', wrong))
    }
    expect(guesses.slice(0, 3)).toEqual([401, 401, 401])
    expect(guesses[3]).toBe(429)
  })

  test('an IPv6 network counts as one address', async () => {
    const { newBrowser, url } = await startAccounts({ TRUST_PROXY: 'on' })
    const guess = async (address: string) => {
      const headers = { 'x-forwarded-for': address, origin: url }
      return (await newBrowser().send('POST', '/auth/link', { body: { token: 'guess' }, headers })).status
    }
    for (let count = 1; count <= 100; count++) expect(await guess(`2001:db8:1:2::${count}`)).toBe(400)
    expect(await guess('2001:db8:1:2:ffff::1')).toBe(429)
    expect(await guess('2001:db8:1:3::1')).toBe(400)
  })

  test('without TRUST_PROXY a client cannot choose the address that is counted', async () => {
    const { openOwner, newBrowser, store, url } = await startAccounts()
    await openOwner()
    const body = { email: OWNER, password: PASSWORD }
    await newBrowser().send('POST', '/auth/sign-in', {
      body,
      headers: { 'x-forwarded-for': '203.0.113.5', origin: url },
    })
    const user = await store.findUser({ email: OWNER })
    const sessions = await store.listSessions(user!.id, Date.now())
    expect(sessions.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1'])
  })
})
