import { accept, reject } from '@mailhatch/sdk'
import { expect, test } from '@mailhatch/sdk/playwright'

test('a sign-up that the mail server refuses for now can be repeated', async ({ page, inbox }) => {
  await inbox.script([reject(451, { text: 'Try again later' }), accept()])
  await page.goto('/')
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  await expect(page.getByRole('alert')).toContainText('Try again later')
  await page.goto('/')
  await page.getByLabel('Email').fill(inbox.address)
  await page.getByRole('button', { name: 'Sign up by code' }).click()
  await page.getByLabel('Code').fill((await inbox.waitFor({ subject: 'Verify' })).code())
})
