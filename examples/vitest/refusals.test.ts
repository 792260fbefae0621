import { accept, reject } from '@mailhatch/sdk'
import { expect, test } from '@mailhatch/sdk/vitest'

test('a sign-up that the mail server refuses for now can be repeated', async ({ inbox }) => {
  const script = await inbox.script([reject(451, { text: 'Try again later' }), accept()])
  const signUp = async () => {
    const body = new URLSearchParams({ email: inbox.address })
    return (await fetch(`${process.env['APP_URL']}/sign-up-by-code`, { method: 'POST', body })).text()
  }
  expect(await signUp()).toContain('Try again later')
  expect(await signUp()).toContain('We sent you a code')
  await inbox.waitFor({ subject: 'Verify' })
  expect((await script.state()).mails).toBe(2)
})
