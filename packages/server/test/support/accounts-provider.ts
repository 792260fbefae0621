import { expect } from 'vitest'
import { startAccounts } from './accounts.ts'
import { openBrowser, type Browser } from './browser.ts'
import { CLIENT, startProvider } from './oidc-provider.ts'

export const APP = 'http://app.example'

/** A server whose users can sign in with a provider. */
export async function startWithProvider(environment: Record<string, string> = {}) {
  const provider = await startProvider()
  const accounts = await startAccounts({
    APP_URL: APP,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    ...environment,
  })

  /** To the provider and back, up to the address that the provider sends the browser to. */
  async function leave(browser: Browser): Promise<string> {
    const start = await browser.get('/auth/oidc/start')
    expect(start.status).toBe(302)
    const there = await fetch(start.headers.get('location')!, { redirect: 'manual' })
    const back = new URL(there.headers.get('location')!)
    expect(back.href).toMatch(`${APP}/auth/oidc/callback?`)
    return back.pathname + back.search
  }

  /** The complete sign-in. Resolves to the final URL of the browser. */
  async function signInThere(browser: Browser = openBrowser(accounts.url)): Promise<string | null> {
    return (await browser.get(await leave(browser))).headers.get('location')
  }

  return { ...accounts, ...provider, leave, signInThere }
}
