import { describe, expect, test } from 'vitest'
import { OWNER, PASSWORD, startAccounts } from './support/accounts.ts'

const ADA = 'ada@corp.example'

describe('sign-up by invite, which is the default', () => {
  test('needs an open invite for that address', async () => {
    let at = Date.now()
    const { newBrowser, invite, signIn } = await startAccounts({}, () => at)
    const refused = async (body: object) => {
      const browser = newBrowser()
      const answer = await browser.post('/auth/sign-up', { email: ADA, password: PASSWORD, ...body })
      expect(await browser.isSignedIn()).toBe(false)
      return [answer.status, answer.body.code]
    }
    const { id } = await invite('Ada@corp.example')
    const { id: anothers } = await invite('eve@corp.example')
    expect(await refused({})).toEqual([403, 'invite_needed'])
    expect(await refused({ invite: 'no-such-invite' })).toEqual([403, 'invite_needed'])
    expect(await refused({ invite: anothers })).toEqual([403, 'invite_needed'])
    at += 86_400_000
    expect(await refused({ invite: id })).toEqual([403, 'invite_needed'])
    at -= 1
    const browser = newBrowser()
    const made = await browser.post('/auth/sign-up', {
      email: ADA,
      password: PASSWORD,
      name: ' A\u0000da\n',
      invite: id,
    })
    expect(made.status).toBe(201)
    expect(made.body.data).toEqual({ status: 'signed_in', user: { id: expect.any(String), email: ADA, name: 'Ada' } })
    expect(await browser.isSignedIn()).toBe(true)
    expect((await signIn(newBrowser(), ADA)).status).toBe(200)
    expect(await refused({ invite: id })).toEqual([409, 'account_exists'])
  })
})

describe('open sign-up without mail', () => {
  test('signs in at once; an address has one account, however it is written', async () => {
    const { newBrowser, store, signIn } = await startAccounts({ SIGN_UP: 'open' })
    const browser = newBrowser()
    expect((await browser.post('/auth/sign-up', { email: ADA, password: PASSWORD })).status).toBe(201)
    expect(await browser.isSignedIn()).toBe(true)
    // The address is not confirmed.
    expect((await store.findUser({ email: ADA }))?.emailCheckedAt).toBeNull()
    const again = await newBrowser().post('/auth/sign-up', { email: 'ADA@Corp.Example', password: 'another password' })
    expect([again.status, again.body.code]).toEqual([409, 'account_exists'])
    expect((await signIn(newBrowser(), ADA, 'another password')).status).toBe(401)
    expect((await signIn(newBrowser(), ADA)).status).toBe(200)
  })

  test('which names and passwords are allowed', async () => {
    const { newBrowser } = await startAccounts({ SIGN_UP: 'open' })
    const answers: [object, number][] = [
      [{ password: 'x'.repeat(9) }, 400],
      [{ password: 'x'.repeat(10), email: 'ten@corp.example' }, 201],
      [{ password: 'x'.repeat(200), email: 'most@corp.example' }, 201],
      [{ password: 'x'.repeat(201) }, 400],
      [{ name: 'n'.repeat(101) }, 400],
      [{ name: 'n'.repeat(100), email: 'name@corp.example' }, 201],
      [{ email: 'not an address' }, 400],
    ]
    for (const [change, status] of answers) {
      const answer = await newBrowser().post('/auth/sign-up', { email: ADA, password: PASSWORD, ...change })
      expect([change, answer.status]).toEqual([change, status])
    }
  })
})

describe('with a relay', () => {
  /** The product, and a second one that receives its mail. */
  async function startWithMail(environment: Record<string, string> = {}, now?: () => number) {
    const receiver = await startAccounts({ INBOX_CATCH_ALL: 'bootstrap' })
    const relay = { SMTP_RELAY_URL: `smtp://127.0.0.1:${receiver.smtpPort}`, SMTP_RELAY_FROM: 'Us <us@mail.example>' }
    const accounts = await startAccounts({ APP_URL: 'http://app.example', ...relay, ...environment }, now)
    /** The newest mail to a mailbox, with the token in its link. */
    const mailTo = async (mailbox: string, subject: string) => {
      const mail = await receiver.sdk.messages.waitFor({ mailbox, subject }, { timeout: 10_000 })
      const link = /http:\/\/app\.example\/(\w[\w-]*)\?token=([\w-]{43})$/m.exec(mail.text ?? '')
      return { page: link?.[1] ?? null, token: link?.[2] ?? '', mail }
    }
    const mailCount = async () => (await receiver.sdk.messages.list()).data.length
    return { ...accounts, mailTo, mailCount }
  }

  test('open sign-up: the address is confirmed first, and the response reveals nothing', async () => {
    const { newBrowser, signIn, mailTo } = await startWithMail({ SIGN_UP: 'open' })
    const email = ADA
    const browser = newBrowser()
    const first = await browser.post('/auth/sign-up', { email, password: PASSWORD })
    expect([first.status, first.body.data]).toEqual([202, { status: 'check_address' }])
    expect(first.setCookies).toEqual([])
    expect((await signIn(browser, email, 'wrong password')).body.code).toBe('invalid_credentials')
    expect((await signIn(browser, email)).body.code).toBe('address_unchecked')

    const { page, token, mail } = await mailTo('ada', 'Check your address')
    expect([page, mail.from]).toEqual(['check', 'us@mail.example'])
    // It is only for this page, and sets the password in the same step.
    expect((await newBrowser().post('/auth/link', { token })).body.code).toBe('token_invalid')
    const reader = newBrowser()
    expect((await reader.post('/auth/check', { token })).body.code).toBe('validation_failed')
    expect((await reader.post('/auth/check', { token, password: PASSWORD })).status).toBe(200)
    expect(await reader.isSignedIn()).toBe(true)
    expect((await reader.post('/auth/check', { token, password: PASSWORD })).body.code).toBe('token_invalid')
    expect((await signIn(browser, email)).status).toBe(200)

    const second = await newBrowser().post('/auth/sign-up', { email, password: 'of somebody else' })
    expect([second.status, second.body.data, second.setCookies]).toEqual([first.status, first.body.data, []])
    await mailTo('ada', 'You already have an account')
    expect((await signIn(newBrowser(), email, 'of somebody else')).status).toBe(401)
  })

  test('a password reset: the response is the same for unknown addresses, and the link works once', async () => {
    const { newBrowser, openMember, signIn, mailTo, mailCount } = await startWithMail()
    const ada = await openMember(ADA)
    const unknown = await newBrowser().post('/auth/reset/request', { email: 'nobody@corp.example' })
    const known = await newBrowser().post('/auth/reset/request', { email: ADA })
    expect([unknown.status, unknown.body]).toEqual([200, known.body])
    const { page, token } = await mailTo('ada', 'Choose a new password')
    expect(page).toBe('reset')
    // Mail for the first request would have been sent before the second.
    expect(await mailCount()).toBe(1)

    const browser = newBrowser()
    expect((await browser.post('/auth/reset', { token, password: 'short' })).status).toBe(400)
    expect((await browser.post('/auth/reset', { token, password: 'a new passphrase' })).status).toBe(200)
    expect([await browser.isSignedIn(), await ada.isSignedIn()]).toEqual([true, false])
    const again = await newBrowser().post('/auth/reset', { token, password: 'of somebody else' })
    expect([again.status, again.body.code]).toEqual([400, 'token_invalid'])
    expect((await signIn(newBrowser(), ADA, 'of somebody else')).status).toBe(401)
    expect((await signIn(newBrowser(), ADA, 'a new passphrase')).status).toBe(200)
  })

  test('one address gets at most five messages an hour', async () => {
    let at = Date.now()
    const { newBrowser, openMember, mailCount } = await startWithMail({}, () => at)
    await openMember(ADA)
    for (let count = 0; count < 8; count++) await newBrowser().post('/auth/reset/request', { email: ADA })
    // Mail is written after the response, and the others were refused by then.
    await expect.poll(mailCount).toBe(5)
    at += 3_600_000
    await newBrowser().post('/auth/reset/request', { email: ADA })
    // The relay receives them one after another, so the last is the sixth.
    await expect.poll(mailCount).toBe(6)
  })

  test('no link is sent to an address whose mail is captured here, where others can read it', async () => {
    const root = 'eve@in.mailhatch.test'
    const below = 'eve@team.in.mailhatch.test'
    const ofTeam = 'eve@MAILHATCH.test'
    const caught = 'eve@caught.example'
    const { newBrowser, openOwner, openMember, signIn, store, mailTo, mailCount } = await startWithMail({
      SIGN_UP: 'open',
    })
    await openOwner()
    const { id: teamId } = (await store.findBootstrapTeam())!
    await store.addCaughtDomain({ teamId, domain: 'caught.example', caughtAt: Date.now() }, 100)
    for (const email of [root, below, ofTeam, caught]) {
      await openMember(email)
      expect((await newBrowser().post('/auth/reset/request', { email })).status).toBe(200)
      const unchecked = await signIn(newBrowser(), email)
      expect([unchecked.status, unchecked.body.code]).toEqual([403, 'address_unchecked'])
      expect(unchecked.body.error).toContain('captured here')
      const email2 = email.replace('eve', 'new')
      const signUp = await newBrowser().post('/auth/sign-up', { email: email2, password: PASSWORD })
      expect([signUp.status, signUp.body.code]).toEqual([400, 'validation_failed'])
      expect(await store.findUser({ email: email2 })).toBeNull()
    }
    await newBrowser().post('/auth/reset/request', { email: OWNER })
    // Any earlier mail would have arrived by now.
    await openMember(ADA)
    await newBrowser().post('/auth/reset/request', { email: ADA })
    await mailTo('ada', 'Choose a new password')
    expect(await mailCount()).toBe(1)
  })

  test('an unavailable relay does not change the response', async () => {
    const { newBrowser } = await startAccounts({ SMTP_RELAY_URL: 'smtp://127.0.0.1:1', SIGN_UP: 'open' })
    expect((await newBrowser().post('/auth/reset/request', { email: OWNER })).status).toBe(200)
    expect((await newBrowser().post('/auth/sign-up', { email: ADA, password: PASSWORD })).status).toBe(202)
  })
})

describe('one-time links', () => {
  test.each(['sign-in', 'reset', 'check'] as const)(
    '%s: it expires after ten minutes and works once',
    async (purpose) => {
      let at = Date.now()
      const { newBrowser, giveLink } = await startAccounts({}, () => at)
      const use = async (token: string) => {
        const path = purpose === 'sign-in' ? '/auth/link' : `/auth/${purpose}`
        return (await newBrowser().post(path, { token, password: PASSWORD })).status
      }
      const late = await giveLink(OWNER, purpose)
      at += 600_000
      expect(await use(late)).toBe(400)
      const inTime = await giveLink(OWNER, purpose)
      at += 599_999
      expect([await use(inTime), await use(inTime)]).toEqual([200, 400])
    },
  )

  test('of many concurrent requests with the same link, one signs in', async () => {
    const { newBrowser, giveLink } = await startAccounts()
    const token = await giveLink(OWNER, 'sign-in')
    const answers = await Promise.all(Array.from({ length: 20 }, () => newBrowser().post('/auth/link', { token })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('a new password invalidates earlier links', async () => {
    const { newBrowser, giveLink, openOwner } = await startAccounts()
    const owner = await openOwner()
    const token = await giveLink(OWNER, 'sign-in')
    await owner.post('/auth/password', { current: PASSWORD, new: 'a new passphrase' })
    expect((await newBrowser().post('/auth/link', { token })).status).toBe(400)
  })
})
