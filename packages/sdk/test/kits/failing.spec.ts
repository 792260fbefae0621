import { test } from '@mailhatch/sdk/playwright'

test('Waits for a receipt that never arrives', async ({ request, inbox }) => {
  test.setTimeout(15_000)
  await request.post('/sign-up-by-code', { form: { email: inbox.address } })
  await inbox.waitFor({ subject: 'receipt' })
})
