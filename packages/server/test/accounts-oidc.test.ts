import { describe, expect, test } from 'vitest'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'
import { APP, startWithProvider } from './support/accounts-provider.ts'
import { openBrowser } from './support/browser.ts'
import { CLIENT, type Behaviour } from './support/oidc-provider.ts'

const ADA = 'ada@corp.example'

describe('signing in with a provider', () => {
  test('an invited user gets an account, and the same one next time, even with another address', async () => {
    const { behaviour, signInThere, newBrowser, invite, store } = await startWithProvider()
    const refused = newBrowser()
    expect(await signInThere(refused)).toBe(`${APP}/sign-in?error=invite_needed`)
    expect(await refused.isSignedIn()).toBe(false)

    await invite('Ada@Corp.Example')
    const browser = newBrowser()
    expect(await signInThere(browser)).toBe(`${APP}/`)
    expect(await browser.isSignedIn()).toBe(true)
    expect(await store.findUser({ email: ADA })).toMatchObject({
      name: 'Ada Lovelace',
      emailCheckedAt: expect.any(Number),
      passwordHash: null,
    })
    behaviour.person = { ...behaviour.person, email: 'new-name@corp.example', email_verified: false }
    expect(await signInThere()).toBe(`${APP}/`)
    expect(await store.listUsers()).toHaveLength(2)
  })

  test('open sign-up needs no invite, and the list of methods includes the provider', async () => {
    const { signInThere, newBrowser } = await startWithProvider({ SIGN_UP: 'open' })
    expect((await newBrowser().get('/auth/methods')).body.data).toMatchObject({ oidc: true })
    expect(await signInThere()).toBe(`${APP}/`)
  })

  test('an existing account with that address is used, and is not changed', async () => {
    const { behaviour, signInThere, openOwner, newBrowser, signIn, store } = await startWithProvider()
    const owner = await openOwner()
    behaviour.person = { ...behaviour.person, email: OWNER }
    const browser = newBrowser()
    expect(await signInThere(browser)).toBe(`${APP}/`)
    expect([await browser.isSignedIn(), await owner.isSignedIn()]).toEqual([true, true])
    expect((await signIn(newBrowser(), OWNER)).status).toBe(200)
    expect(await store.listUsers()).toHaveLength(1)
  })

  test('the address may come from the user info endpoint', async () => {
    const { behaviour, signInThere, store } = await startWithProvider({ SIGN_UP: 'open' })
    behaviour.person = { sub: 'person-2' }
    behaviour.userInfo = { email: ADA, email_verified: true, name: 'Ada' }
    expect(await signInThere()).toBe(`${APP}/`)
    expect(await store.findUser({ email: ADA })).toMatchObject({ name: 'Ada' })
  })

  test.each(['client_secret_basic', 'client_secret_post', null] as const)(
    'the client secret is sent as the provider requires: %s',
    async (secretBy) => {
      const environment = { SIGN_UP: 'open', OIDC_CLIENT_SECRET: secretBy === null ? '' : CLIENT.secret }
      const { behaviour, signInThere } = await startWithProvider(environment)
      behaviour.secretBy = secretBy
      expect(await signInThere()).toBe(`${APP}/`)
    },
  )

  test('an account that was registered with the address but never confirmed loses access', async () => {
    const { signInThere, url, store } = await startWithProvider({ SIGN_UP: 'open' })
    const squatter = openBrowser(url, { origin: APP })
    expect((await squatter.post('/auth/sign-up', { email: ADA, password: PASSWORD })).status).toBe(201)
    expect(await squatter.isSignedIn()).toBe(true)
    const browser = openBrowser(url, { origin: APP })
    expect(await signInThere(browser)).toBe(`${APP}/`)
    expect([await browser.isSignedIn(), await squatter.isSignedIn()]).toEqual([true, false])
    const { status } = await squatter.post('/auth/sign-in', { email: ADA, password: PASSWORD })
    expect(status).toBe(401)
    expect(await store.listUsers()).toHaveLength(2)
  })

  test('without a provider the routes do not exist', async () => {
    const { newBrowser } = await startAccounts()
    for (const path of ['/auth/oidc/start', '/auth/oidc/callback']) {
      expect((await newBrowser().get(path)).body.code).toBe('not_found')
    }
  })

  test('an unavailable provider is reported on the sign-in page, and contacted again later', async () => {
    const { newBrowser } = await startAccounts({ APP_URL: APP, OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'x' })
    const { headers } = await newBrowser().get('/auth/oidc/start')
    expect(headers.get('location')).toBe(`${APP}/sign-in?error=sign_in_refused`)
  })
})

const seconds = () => Math.floor(Date.now() / 1000)

/** Claims that must be refused, and the error for each. */
const LIES: [string, Partial<Behaviour>, string][] = [
  ['another nonce', { claims: { nonce: 'of-another-sign-in' } }, 'sign_in_refused'],
  ['no nonce', { claims: { nonce: undefined } }, 'sign_in_refused'],
  ['another audience', { claims: { aud: 'another-client' } }, 'sign_in_refused'],
  ['another issuer', { claims: { iss: 'https://evil.example' } }, 'sign_in_refused'],
  ['an expired token', { claims: { iat: seconds() - 900, exp: seconds() - 600 } }, 'sign_in_refused'],
  ['an unsigned token', { signing: 'none' }, 'sign_in_refused'],
  ['the signature of another key', { signing: 'stranger' }, 'sign_in_refused'],
  ['a signature made with the public key', { signing: 'HS256 with the public key' }, 'sign_in_refused'],
  ['a refusal', { refuses: true }, 'sign_in_refused'],
  ['an unverified address', { claims: { email_verified: false } }, 'email_unverified'],
  ['an address that is verified in words only', { claims: { email_verified: 'true' } }, 'email_unverified'],
  ['no word on whether it is verified', { claims: { email_verified: undefined } }, 'email_unverified'],
  ['no address', { claims: { email: undefined } }, 'email_unverified'],
]

describe('a provider, or an attacker in its name, that must not be trusted', () => {
  test('signs no user in', async () => {
    const { behaviour, signInThere, newBrowser, store } = await startWithProvider({ SIGN_UP: 'open' })
    const honest = { claims: {}, signing: 'RS256', refuses: false }
    for (const [index, [name, lie, code]] of LIES.entries()) {
      const person = { ...behaviour.person, sub: `person-${index}`, email: `person-${index}@corp.example` }
      Object.assign(behaviour, honest, lie, { person })
      const browser = newBrowser()
      expect(await signInThere(browser), name).toBe(`${APP}/sign-in?error=${code}`)
      expect(await browser.isSignedIn(), name).toBe(false)
      expect(await store.findUser({ email: person.email }), name).toBeNull()
      // Control: nothing else was refused.
      Object.assign(behaviour, honest)
      expect(await signInThere(browser), name).toBe(`${APP}/`)
      expect(await browser.isSignedIn(), name).toBe(true)
    }
  })

  test('a callback of another browser does not sign in, and no callback works twice', async () => {
    const { leave, newBrowser } = await startWithProvider({ SIGN_UP: 'open' })
    const attacker = newBrowser()
    const wayBack = await leave(attacker)
    const victim = newBrowser()
    const refused = `${APP}/sign-in?error=sign_in_refused`
    expect((await victim.get(wayBack)).headers.get('location')).toBe(refused)
    await leave(victim)
    expect((await victim.get(wayBack)).headers.get('location')).toBe(refused)
    expect(await victim.isSignedIn()).toBe(false)
    expect((await attacker.get(wayBack)).headers.get('location')).toBe(`${APP}/`)
    expect((await attacker.get(wayBack)).headers.get('location')).toBe(refused)
  })
})
