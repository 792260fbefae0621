import { test } from '@mailhatch/sdk/playwright'

test.use({ inboxOptions: { apiKey: 'mh_not_a_key' } })

test('has a wrong key', async ({ inbox }) => {
  throw new Error(`never gets ${inbox.address}`)
})
