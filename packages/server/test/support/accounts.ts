import { argon2Sync } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { openStore } from '../../src/program/open-store.ts'
import { readConfig } from '../../src/program/config.ts'
import { createToken } from '../../src/manage/one-time-tokens.ts'
import { newId, newSecret } from '../../src/random.ts'
import type { TokenPurpose } from '../../src/store/accounts.ts'
import type { Store } from '../../src/store/store.ts'
import { openBrowser, type Browser } from './browser.ts'
import { withDatabase } from './journey-database.ts'
import { madeSecret } from './made-secrets.ts'
import { startServer } from './server.ts'

export const PASSWORD = 'correct horse battery'
export const OWNER = 'owner@mailhatch.test'
const DAY_MS = 86_400_000
/** As an older version with a low cost would have stored it, because a hash with the usual cost takes 100 ms at each use. */
const CHEAP_HASH = cheapHash(PASSWORD)

/** A server, direct access to its store, and users with browsers. */
export async function startAccounts(environment: Record<string, string> = {}, now: () => number = Date.now) {
  const server = await startServer(environment, now)
  const store = await openBeside(server.dataDir)
  const newBrowser = (userAgent?: string) => openBrowser(server.url, userAgent === undefined ? {} : { userAgent })

  async function giveLink(email: string, purpose: TokenPurpose): Promise<string> {
    const user = await store.findUser({ email })
    return madeSecret(await createToken({ store, newSecret, now }, user!.id, purpose))
  }

  /** Signs in the first team's owner, who has the password. */
  async function openOwner(): Promise<Browser> {
    const owner = (await store.findUser({ email: OWNER }))!
    await store.setPassword(owner.id, { passwordHash: CHEAP_HASH, at: now(), keepSessionId: null })
    const browser = newBrowser()
    expect((await browser.post('/auth/link', { token: await giveLink(OWNER, 'sign-in') })).status).toBe(200)
    return browser
  }

  /** Into the first team, for a day. */
  async function invite(email: string): Promise<{ id: string; teamId: string; email: string }> {
    const owner = await store.findUser({ email: OWNER })
    const at = now()
    const made = { id: newId(at), teamId: owner!.teamId!, email, invitedBy: owner!.id, createdAt: at }
    const added = await store.addInvite({ ...made, expiresAt: at + DAY_MS }, { membersMax: null, invitesMax: 100 })
    expect(added).toBe('added')
    return made
  }

  /** A member of the first team, signed in. */
  async function openMember(email: string): Promise<Browser> {
    const invited = await invite(email)
    const browser = newBrowser()
    const { status } = await browser.post('/auth/sign-up', { email, password: PASSWORD, invite: invited.id })
    expect(status).toBe(201)
    const user = await store.findUser({ email })
    expect(await store.acceptInvite(invited, { userId: user!.id, membersMax: null, at: now() })).toBe('joined')
    return browser
  }

  const signIn = (browser: Browser, email: string, password: string = PASSWORD) =>
    browser.post('/auth/sign-in', { email, password: madeSecret(password) })

  return { ...server, store, newBrowser, giveLink, openOwner, invite, openMember, signIn }
}

/** The store of a data folder, whatever runs there. Closed when the test ends. */
export async function openBeside(dataDir: string): Promise<Store> {
  const config = readConfig('serve', await withDatabase({ DATA_DIR: dataDir }))
  const store = await openStore(config, { error: () => expect.unreachable() })
  onTestFinished(() => store.close())
  return store
}

function cheapHash(password: string): string {
  const nonce = Buffer.from('salt-of-the-tests')
  const key = argon2Sync('argon2id', { message: password, nonce, memory: 8, passes: 1, parallelism: 1, tagLength: 32 })
  const [salt, hash] = [nonce, key].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`
}
