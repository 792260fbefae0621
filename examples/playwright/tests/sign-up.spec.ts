import { expect, test } from '@mailhatch/sdk/playwright'

test.beforeEach(({ page }) => page.goto('/'))

test('sign up by code', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  const mail = await inbox.waitFor({ subject: 'Verify' })
  await page.getByLabel('Code').fill(mail.code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading')).toHaveText(`Welcome, ${inbox.address}`)
})

test('sign up by link', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by link' }).click()
  const mail = await inbox.waitFor({ subject: /magic link/i })
  await page.goto(mail.link('/confirm'))
  await expect(page.getByRole('heading')).toHaveText(`Welcome, ${inbox.address}`)
})

test('the link in the mail can be clicked', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by link' }).click()
  const mail = await inbox.waitFor()
  await mail.open(page)
  await page.getByRole('link', { name: 'Confirm your address' }).click()
  await expect(page.getByRole('heading')).toHaveText(`Welcome, ${inbox.address}`)
})

test('a second code replaces the first', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  const first = await inbox.waitFor({ subject: 'Verify' })
  await page.getByRole('button', { name: 'Send another code' }).click()
  // waitFor returns each message once, so this is the second one.
  const second = await inbox.waitFor({ subject: 'Verify' })
  expect(second.id).not.toBe(first.id)
  await page.getByLabel('Code').fill(second.code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading')).toHaveText(`Welcome, ${inbox.address}`)
})

test('the sign-up sends a receipt but no newsletter', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  await page.getByLabel('Code').fill((await inbox.waitFor({ subject: 'Verify' })).code())
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(inbox).toHaveReceived({ subject: 'receipt', hasAttachment: true })
  await inbox.expectNone({ subject: 'Newsletter', within: 500 })
})

test('a colleague is invited', async ({ page, inbox }) => {
  const colleague = inbox.alias('colleague')
  await page.getByLabel('Email').fill(colleague)
  await page.getByRole('button', { name: 'Invite' }).click()
  const invitation = await inbox.waitFor({ to: colleague })
  expect(invitation.subject).toBe('You are invited')
})

test('a wrong code is refused', async ({ page, inbox }) => {
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  await page.getByLabel('Code').fill('not the code')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('alert')).toHaveText('That is not the code.')
  await expect(inbox).not.toHaveReceived({ subject: 'receipt' }, { timeout: 500 })
})
