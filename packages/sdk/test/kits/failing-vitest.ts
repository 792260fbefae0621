import { expect, test } from '@mailhatch/sdk/vitest'

async function signUp(email: string): Promise<void> {
  await fetch(`${process.env['APP_URL']}/sign-up-by-code`, { method: 'POST', body: new URLSearchParams({ email }) })
}

test('times out', { timeout: 20_000 }, async ({ inbox }) => {
  await signUp(inbox.address)
  await inbox.waitFor({ subject: 'receipt' })
})

test('is about something else', async ({ inbox }) => {
  await signUp(inbox.address)
  const mail = await inbox.waitFor()
  expect(mail.subject).toBe('Something else')
})

test('expects a missing message', async ({ inbox }) => {
  await signUp(inbox.address)
  await expect(inbox).toHaveReceived({ subject: 'Verify' })
  await expect(inbox).toHaveReceived({ subject: 'Newsletter' }, { timeout: 200 })
})

test('gets an unexpected message', async ({ inbox }) => {
  await signUp(inbox.address)
  await expect(inbox).toHaveReceived()
  await expect(inbox).not.toHaveReceived({ subject: 'Verify' })
})
