import { expect } from 'vitest'
import { createToken } from '../../src/manage/one-time-tokens.ts'
import { newSecret } from '../../src/random.ts'
import type { Store } from '../../src/store/store.ts'
import { OWNER } from '../support/accounts.ts'
import { openBrowser } from '../support/browser.ts'
import { madeSecret } from '../support/made-secrets.ts'
import type { startProvider } from '../support/oidc-provider.ts'

type Provider = Awaited<ReturnType<typeof startProvider>>

/** By link, by password and through a provider; each also without success. Resolves to the number of those that succeeded. */
export async function signInEverywhere(url: string, store: Store, provider: Provider): Promise<number> {
  const byLink = openBrowser(url)
  const signedIn: boolean[] = []
  const owner = (await store.findUser({ email: OWNER }))!
  const token = madeSecret(await createToken({ store, newSecret, now: Date.now }, owner.id, 'sign-in'))
  expect((await byLink.post('/auth/link', { token })).status).toBe(200)
  signedIn.push(await byLink.isSignedIn())
  expect((await openBrowser(url).post('/auth/link', { token })).status).not.toBe(200)

  const password = madeSecret(newSecret())
  expect((await byLink.post('/auth/password', { new: password })).status).toBe(200)
  const byPassword = openBrowser(url)
  expect((await byPassword.post('/auth/sign-in', { email: OWNER, password })).status).toBe(200)
  signedIn.push(await byPassword.isSignedIn())
  const wrong = { email: OWNER, password: madeSecret(newSecret()) }
  expect((await openBrowser(url).post('/auth/sign-in', wrong)).status).toBe(401)

  async function signInThere(): Promise<boolean> {
    const browser = openBrowser(url)
    const start = await browser.get('/auth/oidc/start')
    const there = await fetch(start.headers.get('location')!, { redirect: 'manual' })
    const back = new URL(there.headers.get('location')!)
    for (const secret of back.searchParams.values()) madeSecret(secret)
    await browser.get(back.pathname + back.search)
    return browser.isSignedIn()
  }
  signedIn.push(await signInThere())
  provider.behaviour.signing = 'stranger'
  expect(await signInThere()).toBe(false)
  Object.assign(provider.behaviour, { signing: 'RS256', secretBy: 'client_secret_post' })
  // The server goes on sending the client's secret as the provider wanted it at first.
  expect(await signInThere()).toBe(false)
  provider.behaviour.secretBy = null
  expect(await signInThere()).toBe(false)
  return signedIn.filter(Boolean).length
}
