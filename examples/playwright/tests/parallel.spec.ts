import { expect, test } from '@mailhatch/sdk/playwright'

// The tests run in parallel without mixing up mail, because each one has its own address.
for (const person of 'Ada Ben Cem Dora Émile Fatma Gil Hana Ivo Jun Kai Léa Mia'.split(' ')) {
  test(`${person} signs up`, async ({ page, inbox }) => {
    await page.goto('/')
    await page.getByLabel('Email').fill(inbox.address)
    await page.getByRole('button', { name: 'Sign up by code' }).click()
    const mail = await inbox.waitFor({ subject: 'Verify' })
    await page.getByLabel('Code').fill(mail.code())
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading')).toHaveText(`Welcome, ${inbox.address}`)
    await expect(inbox).toHaveReceived({ subject: 'receipt' })
    expect(await inbox.messages()).toHaveLength(2)
  })
}
