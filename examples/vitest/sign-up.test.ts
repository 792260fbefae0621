import { expect, test } from '@mailhatch/sdk/vitest'

async function post(path: string, fields: Record<string, string>): Promise<string> {
  const body = new URLSearchParams(fields)
  return (await fetch(`${process.env['APP_URL']}${path}`, { method: 'POST', body })).text()
}

test('sign up by code', async ({ inbox }) => {
  await post('/sign-up-by-code', { email: inbox.address })
  const mail = await inbox.waitFor({ subject: 'Verify' })
  expect(await post('/enter-code', { email: inbox.address, code: mail.code() })).toContain('Welcome')
  await expect(inbox).toHaveReceived({ subject: 'receipt', hasAttachment: true })
  await inbox.expectNone({ subject: 'Newsletter', within: 500 })
})

test('sign up by link', async ({ inbox }) => {
  await post('/sign-up-by-link', { email: inbox.address })
  const mail = await inbox.waitFor({ subject: /magic link/i })
  expect(mail.link('/confirm')).toContain('token=')
})
