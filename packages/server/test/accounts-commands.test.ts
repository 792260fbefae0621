import { describe, expect, inject, test } from 'vitest'
import { createTeam } from '../src/manage/teams.ts'
import { newId } from '../src/random.ts'
import { openBeside, OWNER, startAccounts } from './support/accounts.ts'
import { runToExit } from './support/in-process.ts'
import { withDatabase } from './support/journey-database.ts'
import { runForJson } from './support/program.ts'
import { temporaryFolder } from './support/server.ts'

type Created = { id: string; email: string; link: string }

const tokenOf = (link: string) => new URL(link).searchParams.get('token')!

describe('mailhatch users', () => {
  test('sign-in-link signs the first owner in, and list shows every user', async () => {
    const { dataDir, url, newBrowser } = await startAccounts()
    const { email, link } = await runForJson<Created>(['users', 'sign-in-link'], { DATA_DIR: dataDir })
    expect(email).toBe(OWNER)
    // The port of the running server. On PostgreSQL, which may have many servers, APP_URL is used.
    const port = inject('postgresUrl') ? '3003' : new URL(url).port
    expect(link).toMatch(new RegExp(String.raw`^http://localhost:${port}/sign-in\?token=[\w-]{43}$`))
    const browser = newBrowser()
    expect((await browser.post('/auth/link', { token: tokenOf(link) })).status).toBe(200)
    expect(await browser.isSignedIn()).toBe(true)

    await runForJson(['users', 'create', 'ada@corp.example', '--role', 'member', '--name', 'Ada'], {
      DATA_DIR: dataDir,
    })
    const users = await runForJson<object[]>(['users', 'list'], { DATA_DIR: dataDir })
    expect(users).toMatchObject([
      { email: OWNER, role: 'owner' },
      { email: 'ada@corp.example', role: 'member', name: 'Ada' },
    ])
    expect(JSON.stringify(users)).not.toMatch(/hash|argon/i)
  })

  test('reset-password removes the password and ends the sessions', async () => {
    const { dataDir, openOwner, newBrowser, signIn } = await startAccounts()
    const owner = await openOwner()
    const words = ['users', 'reset-password', 'OWNER@mailhatch.test']
    const { link } = await runForJson<Created>(words, { DATA_DIR: dataDir, APP_URL: 'https://mail.example/' })
    expect(link).toMatch(/^https:\/\/mail\.example\/reset\?token=/)
    expect(await owner.isSignedIn()).toBe(false)
    expect((await signIn(newBrowser(), OWNER)).status).toBe(401)
    const chosen = { token: tokenOf(link), password: 'a new passphrase' }
    expect((await newBrowser().post('/auth/reset', chosen)).status).toBe(200)
    expect((await signIn(newBrowser(), OWNER, 'a new passphrase')).status).toBe(200)
  })

  test('delete ends the sessions of a user and deletes their account', async () => {
    const { dataDir, openOwner } = await startAccounts()
    const owner = await openOwner()
    await runForJson(['users', 'create', 'second@corp.example'], { DATA_DIR: dataDir })
    expect(await owner.isSignedIn()).toBe(true)
    const words = ['users', 'delete', 'OWNER@mailhatch.test', '--yes']
    expect(await runForJson(words, { DATA_DIR: dataDir })).toMatchObject({ email: OWNER, keys: 0 })
    expect(await owner.isSignedIn()).toBe(false)
    expect(await runForJson(['users', 'list'], { DATA_DIR: dataDir })).toMatchObject([{ email: 'second@corp.example' }])
  })

  test('an install without accounts gets its owner with sign-in-link', async () => {
    const dataDir = temporaryFolder()
    const store = await openBeside(dataDir)
    const wish = { name: 'My Team', domain: null, plan: 'pro' as const, isBootstrap: true }
    const team = await createTeam({ store, rootDomain: 'root.example', newId, now: Date.now }, wish)
    expect(await store.listUsers()).toEqual([])
    for (let time = 1; time <= 2; time++) {
      const { email } = await runForJson<Created>(['users', 'sign-in-link'], { DATA_DIR: dataDir })
      expect(email).toBe('owner@localhost')
      expect(await store.listUsers()).toMatchObject([{ email, teamId: team.id, role: 'owner' }])
    }
  })

  test('errors say what is wrong', async () => {
    const { dataDir } = await startAccounts()
    const refusals: [string[], string, number][] = [
      [['sign-in-link', 'nobody@corp.example'], 'There is no user nobody@corp.example.', 1],
      [['create', 'nobody'], 'nobody is not an email address', 2],
      [['create', OWNER], 'already has an account', 1],
      [['delete', OWNER, '--yes'], 'is the last owner of their team', 1],
    ]
    for (const [words, about, expected] of refusals) {
      const { code, stderr } = await runToExit(['users', ...words], await withDatabase({ DATA_DIR: dataDir }))
      expect(code).toBe(expected)
      expect(stderr).toContain(about)
    }
  })
})
