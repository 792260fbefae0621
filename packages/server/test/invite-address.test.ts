import { expect, test } from 'vitest'
import { openBrowser } from './support/browser.ts'
import { startFileServer } from './support/file-server.ts'
import { callerOf, openPeople } from './support/people.ts'

const server = await startFileServer()
const { newTeam } = await openPeople(server)

test('an invite does not make the inviter the owner of the address, nor show them its mail', async () => {
  const email = 'bob@victim.example'
  const victim = await newTeam()
  await victim.owner.call.team.invite.mutate({ email })
  const attacker = await newTeam()
  const { id } = await attacker.owner.call.team.invite.mutate({ email })

  const browser = openBrowser(server.url)
  expect((await browser.post('/auth/sign-up', { email, password: 'a long enough password', invite: id })).status).toBe(
    201,
  )
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const bob = callerOf(server.url, { cookie, origin: server.url })
  expect((await bob.team.invitesByEmail.query()).map(({ team }) => team.id)).toEqual([])
  expect((await bob.user.me.query()).isEmailChecked).toBe(false)
  // The invite itself is valid for the holder of its link.
  expect(await bob.team.acceptInvite.mutate({ id })).toMatchObject({ id: attacker.team.id, role: 'member' })
})
