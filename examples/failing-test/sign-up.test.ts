import { expect, test } from '@mailhatch/sdk/vitest'
import { signUp } from './shop.ts'

test('sign up by code', async ({ inbox }) => {
  await signUp(inbox.address)
  const mail = await inbox.waitFor({ subject: 'Verify' })
  expect(mail.code()).toMatch(/^\d{6}$/)
})
