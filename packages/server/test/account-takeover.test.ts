import { describe, expect, test } from 'vitest'
import { takeAddresses } from './account-takeover.ts'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'

const ADA = 'ada@corp.example'
const STRANGERS = 'the password of a stranger'

test.each([false, true])(
  'a user who registers someone else’s address keeps nothing of it; with a relay: %s',
  async (hasRelay) => {
    const seed = 11
    const report = await takeAddresses({ addresses: 3, steps: 7, seed, hasRelay })
    expect(report.wrong, `seed ${seed}`).toEqual([])
    // A run without a confirmed address, or in which the attacker never had access, would prove nothing.
    expect(report.proofs).toBeGreaterThan(0)
    expect(report.held > 0).toBe(!hasRelay)
  },
)

describe('an address that another user registered', () => {
  test('confirming it sets the password: the first user is signed out and does not see the invite', async () => {
    const { newBrowser, giveLink, invite, signIn } = await startAccounts({
      SIGN_UP: 'open',
      SMTP_RELAY_URL: 'smtp://127.0.0.1:1',
    })
    await invite(ADA)
    const stranger = newBrowser()
    expect((await stranger.post('/auth/sign-up', { email: ADA, password: STRANGERS })).status).toBe(202)
    const token = await giveLink(ADA, 'check')
    const ada = newBrowser()
    // The link alone confirms nothing.
    expect((await ada.post('/auth/check', { token })).status).toBe(400)
    expect((await signIn(stranger, ADA, STRANGERS)).body.code).toBe('address_unchecked')
    expect((await ada.post('/auth/check', { token, password: PASSWORD })).status).toBe(200)
    expect(await ada.isSignedIn()).toBe(true)
    expect((await signIn(stranger, ADA, STRANGERS)).body.code).toBe('invalid_credentials')
    expect((await signIn(newBrowser(), ADA)).status).toBe(200)
  })

  test('the operator’s sign-in link ends the first user’s access too', async () => {
    const { newBrowser, giveLink, signIn } = await startAccounts({ SIGN_UP: 'open' })
    const stranger = newBrowser()
    expect((await stranger.post('/auth/sign-up', { email: ADA, password: STRANGERS })).status).toBe(201)
    expect(await stranger.isSignedIn()).toBe(true)
    const ada = newBrowser()
    expect((await ada.post('/auth/link', { token: await giveLink(ADA, 'sign-in') })).status).toBe(200)
    expect([await ada.isSignedIn(), await stranger.isSignedIn()]).toEqual([true, false])
    expect((await signIn(stranger, ADA, STRANGERS)).status).toBe(401)
    expect((await ada.post('/auth/password', { new: PASSWORD })).status).toBe(200)
    // For a confirmed address, it is one more way to sign in.
    expect((await newBrowser().post('/auth/link', { token: await giveLink(ADA, 'sign-in') })).status).toBe(200)
    expect(await ada.isSignedIn()).toBe(true)
    expect((await signIn(newBrowser(), ADA)).status).toBe(200)
  })

  test('a password changed while the owner of the address claims the account is not kept', async () => {
    const { store } = await startAccounts({ SIGN_UP: 'open' })
    const account = (await store.findUser({ email: OWNER }))!
    const at = Date.now()
    const change = { at, keepSessionId: null }
    expect(await store.setPassword(account.id, { ...change, passwordHash: 'old' })).toBe(true)
    await store.claimAccount(account, { passwordHash: 'of the owner', keepsTeam: true, at })
    expect(await store.setPassword(account.id, { ...change, replaces: 'old', passwordHash: 'stranger' })).toBe(false)
    expect((await store.findUser({ email: OWNER }))!.passwordHash).toBe('of the owner')
    expect(await store.setPassword(account.id, { ...change, replaces: 'of the owner', passwordHash: 'new' })).toBe(true)
  })
})

test('a user who confirms with the password of the sign-up keeps their team', async () => {
  const { newBrowser, giveLink, store } = await startAccounts({ SIGN_UP: 'open' })
  const ada = newBrowser()
  const made = async (password: string) => {
    const email = `${password.length}@corp.example`
    expect((await ada.post('/auth/sign-up', { email, password: PASSWORD })).status).toBe(201)
    const user = (await store.findUser({ email }))!
    const team = { id: user.id, name: 'Mine', plan: 'pro' as const, retentionDays: null, domain: null }
    expect(await store.addTeamFor(user.id, { ...team, createdAt: Date.now() })).toBe('added')
    const token = await giveLink(email, 'check')
    expect((await newBrowser().post('/auth/check', { token, password })).status).toBe(200)
    return (await store.findUser({ email }))!.teamId
  }
  expect(await made(PASSWORD)).not.toBeNull()
  expect(await made('a password of someone else')).toBeNull()
})
