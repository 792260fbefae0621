import { test } from 'vitest'
import { checkCrossTalk } from './scenario-crosstalk.ts'
import { startServer } from './support/server.ts'

test('40 scripted addresses and 10 plain ones at once do not affect each other', async () => {
  await checkCrossTalk(await startServer({ RATE_LIMIT: 'off' }), { scripted: 40, plain: 10 })
})
