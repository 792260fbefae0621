import { expect, inboxFixtures } from '@mailhatch/sdk/playwright'
import { mergeTests, test as base } from '@playwright/test'

const withPlan = base.extend<{ plan: string }>({ plan: 'free' })
const test = mergeTests(withPlan, base.extend(inboxFixtures))

test.use({ inboxOptions: { attach: 'always', mailbox: 'orders', timeout: 20_000 } })

test('passes, and shows its mail', async ({ request, inbox, plan, mailhatch }) => {
  expect(plan).toBe('free')
  expect(inbox.address).toContain('orders+passes-and-shows-its')
  expect(await mailhatch.health()).toEqual({ status: 'ok' })
  await request.post('/invite', { form: { email: inbox.alias('colleague') } })
  await expect(inbox).toHaveReceived({ to: inbox.alias('colleague') })
  await expect(expect(inbox).not.toHaveReceived({ to: /colleague/ }, { timeout: 100 })).rejects.toThrow(
    'You are invited',
  )
  await expect(inbox.expectNone({ to: /colleague/, within: 100 })).rejects.toThrow('You are invited')
})
