import { expect } from 'vitest'
import { startSession } from '../src/manage/sessions.ts'
import { newId, newSecret } from '../src/random.ts'
import { APP, startWithProvider } from './support/accounts-provider.ts'
import { ask } from './support/ask.ts'
import { openBrowser, type Browser } from './support/browser.ts'
import { callerOf } from './support/people.ts'
import { seededRandom } from './support/seeded-random.ts'

const STRANGERS = 'the password of a stranger'
const VICTIMS = 'the password of the owner'

type Accounts = Awaited<ReturnType<typeof startWithProvider>>

/** What a user did, and what must not have been possible. Empty after a good run. */
export type TakeoverReport = { actions: number; proofs: number; held: number; wrong: string[] }

/**
 * An attacker registers an address before its owner. Both act in a random order, and after each step the attacker must have
 * no access through the confirmed address. In the end the owner can sign in and join the team that invited them.
 */
export async function takeAddresses(sizes: { addresses: number; steps: number; seed: number; hasRelay: boolean }) {
  const random = seededRandom(sizes.seed)
  const accounts = await startWithProvider({
    SIGN_UP: 'open',
    TRUST_PROXY: 'on',
    // Mail is not delivered there, so the links are created directly.
    ...(sizes.hasRelay && { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' }),
  })
  const report: TakeoverReport = { actions: 0, proofs: 0, held: 0, wrong: [] }
  for (let number = 0; number < sizes.addresses; number++) {
    const play = await openPlay(accounts, number)
    const done: string[] = []
    for (let step = 0; step < sizes.steps; step++) {
      // The attacker comes first and does more, which is the worst case.
      const side = step === 0 || random.chance(0.65) ? play.stranger : play.owner
      const name = step === 0 ? 'signUp' : random.pick(Object.keys(side))
      await side[name]!()
      done.push(`${side === play.owner ? 'owner' : 'stranger'} ${name}`)
      report.actions++
      for (const what of await play.findWrong()) report.wrong.push(`${done.join(', ')}: ${what}`)
    }
    if ((await play.look()).isProven) report.proofs++
    report.held += play.countGiven()
    for (const what of await play.enter()) report.wrong.push(`${done.join(', ')}, owner enters: ${what}`)
  }
  return report
}

/** One address, its owner, and an attacker who also has their own account. */
async function openPlay(accounts: Accounts, number: number) {
  const { store, url, giveLink, invite, signInThere, behaviour } = accounts
  const email = `victim-${number}@corp.example`
  let addresses = 0
  const strangers: Browser[] = []
  const keys: string[] = []
  const accomplice = await openAccomplice(accounts, number)
  const team = await invite(email)

  /** From another network each time, to avoid the limits. */
  const post = (browser: Browser, path: string, body: object) =>
    browser.send('POST', path, { body, headers: { 'x-forwarded-for': `10.${number % 250}.0.${addresses++ % 250}` } })
  const open = () => openBrowser(url, { origin: APP })
  const call = ({ cookies }: Browser) =>
    callerOf(url, { origin: APP, cookie: Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ') })
  const orNothing = (work: Promise<unknown>) => work.catch(() => null)

  async function strangerPosts(path: string, body: object): Promise<void> {
    const browser = open()
    if ((await post(browser, path, body)).setCookies.length > 0) strangers.push(browser)
  }

  async function eachStranger(work: (as: ReturnType<typeof call>) => Promise<unknown>): Promise<void> {
    for (const browser of strangers) await orNothing(work(call(browser)))
  }

  async function openLink(purpose: 'check' | 'reset' | 'sign-in', browser = open()): Promise<Browser> {
    if (!(await store.findUser({ email }))) return browser
    const token = await giveLink(email, purpose)
    const path = purpose === 'sign-in' ? '/auth/link' : `/auth/${purpose}`
    expect((await post(browser, path, { token, password: VICTIMS })).status).toBe(200)
    return browser
  }

  const stranger: Record<string, () => Promise<unknown>> = {
    signUp: () => strangerPosts('/auth/sign-up', { email, password: STRANGERS }),
    signIn: () => strangerPosts('/auth/sign-in', { email, password: STRANGERS }),
    makeTeam: () => eachStranger((as) => as.team.create.mutate({ name: 'Trap' })),
    makeKey: () => eachStranger(async (as) => keys.push((await as.apiKeys.create.mutate({ name: 'later' })).key)),
    letAccompliceIn: () =>
      eachStranger(async (as) => {
        const { id } = await as.team.invite.mutate({ email: accomplice.email })
        await accomplice.call.team.acceptInvite.mutate({ id })
      }),
    changePassword: async () => {
      for (const browser of strangers) await post(browser, '/auth/password', { current: STRANGERS, new: STRANGERS })
    },
    acceptWhatIsSeen: () =>
      eachStranger(async (as) => {
        for (const { id } of await as.team.invitesByEmail.query()) await as.team.acceptInvite.mutate({ id })
      }),
    askForLink: () => strangerPosts('/auth/reset/request', { email }),
  }

  const owner: Record<string, () => Promise<unknown>> = {
    confirm: () => openLink('check'),
    reset: () => openLink('reset'),
    provider: async () => {
      behaviour.person = { sub: `victim-${number}`, email, email_verified: true, name: 'Victim' }
      const browser = open()
      expect(await signInThere(browser)).toBe(`${APP}/`)
      expect(await browser.isSignedIn()).toBe(true)
    },
    signUp: () => post(open(), '/auth/sign-up', { email, password: VICTIMS }),
  }

  async function look() {
    const account = await store.findUser({ email })
    return { isProven: account !== null && account.emailCheckedAt !== null, teamId: account?.teamId ?? null }
  }

  async function countHeld(): Promise<number> {
    const sessions = await Promise.all(strangers.map((browser) => browser.isSignedIn()))
    const answers = await Promise.all(keys.map((key) => ask(`${url}/v1/me`, { key })))
    return sessions.filter(Boolean).length + answers.filter(({ status }) => status === 200).length
  }

  /** What the attacker has of an address that its owner confirmed. */
  async function findWrong(): Promise<string[]> {
    const { isProven, teamId } = await look()
    // Confirmed or not: the team invited the owner of the address.
    if (!isProven) return teamId === team.teamId ? ['the stranger is in the team of the invite'] : []
    const wrong = []
    if ((await countHeld()) > 0) wrong.push('a session or a key of the stranger works')
    const { status } = await post(open(), '/auth/sign-in', { email, password: STRANGERS })
    if (status !== 401) wrong.push(`the stranger’s password is answered with ${status}`)
    const theirs = await store.findUser({ id: accomplice.id })
    if (teamId !== null && theirs!.teamId === teamId) wrong.push('the stranger is in the same team')
    return wrong
  }

  /** Positive control: the owner signs in with the link, sees the invite, and joins. */
  async function enter(): Promise<string[]> {
    if (!(await store.findUser({ email }))) await stranger['signUp']!()
    await openLink('reset')
    const browser = open()
    const { status } = await post(browser, '/auth/sign-in', { email, password: VICTIMS })
    if (status !== 200) return [`the owner’s password is answered with ${status}`]
    const invites = await call(browser).team.invitesByEmail.query()
    if (!invites.some(({ id }) => id === team.id)) return ['the owner does not see the invite']
    await call(browser).team.acceptInvite.mutate({ id: team.id })
    return findWrong()
  }

  return { stranger, owner, look, countGiven: () => strangers.length + keys.length, findWrong, enter }
}

/** The attacker's own account. */
async function openAccomplice({ store, url }: Accounts, number: number) {
  const at = Date.now()
  const user = { id: newId(at), email: `accomplice-${number}@evil.example`, name: '', passwordHash: null }
  await store.addUser({ ...user, emailCheckedAt: at, teamId: null, role: null, createdAt: at })
  const client = { userAgent: '', address: '' }
  const token = await startSession({ store, newId, newSecret, now: Date.now }, { id: user.id }, client)
  return { ...user, call: callerOf(url, { cookie: `mailhatch=${token}`, origin: APP }) }
}
