import { expect, test } from 'vitest'
import { startServer } from './support/server.ts'

test('a login mail answers the test that is waiting for it', async () => {
  const { sdk, sendMail } = await startServer()
  const waiting = sdk.messages.waitFor({ mailbox: 'qa', tag: 'login' }, { timeout: 5_000 })
  await sendMail({ to: 'qa+login@mailhatch.test', subject: 'Your code is 482913', text: 'Your code is 482913.' })
  const mail = await waiting
  expect(mail.subject).toBe('Your code is 482913')
  expect(mail.codes[0]?.value).toBe('482913')
})
