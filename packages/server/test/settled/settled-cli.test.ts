import { expect, test } from 'vitest'
import { runToExit } from '../support/in-process.ts'
import { startServer } from '../support/server.ts'
import { OpenMail } from './open-mail.ts'

test('mailhatch settled waits for all mail, and its exit code says whether as many messages came as expected', async () => {
  const { url, apiKey, sdk, sendMail, smtpPort } = await startServer()
  const { address, cursor } = await sdk.addresses.create()
  const environment = { MAILHATCH_URL: url, MAILHATCH_API_KEY: apiKey }
  const settled = (...options: string[]) =>
    runToExit(['settled', address, '--after', cursor, '--quiet', '20ms', ...options], environment)
  const errorOf = ({ stderr }: { stderr: string }) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error

  const none = await settled('--expect', '0')
  expect(none).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(none.stdout)).toMatchObject({ settled: true, count: 0, cursor: expect.any(String) })

  const open = await OpenMail.begin(smtpPort, address)
  const pending = await settled('--timeout', '200ms')
  expect(pending).toMatchObject({ code: 3, stdout: '' })
  expect(errorOf(pending)).toMatchObject({
    code: 'not_settled',
    category: 'timeout',
    retryable: true,
    state: { settled: false, onItsWay: { transactions: 1 } },
  })

  const waiting = settled('--expect', '2')
  await open.startContent('First')
  await open.finish()
  await sendMail({ to: address, subject: 'Second' })
  const both = await waiting
  expect(both).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(both.stdout)).toMatchObject({ count: 2, messages: [{ subject: 'First' }, { subject: 'Second' }] })

  const more = await settled('--expect', '1')
  expect(more).toMatchObject({ code: 1, stdout: '' })
  expect(errorOf(more)).toMatchObject({ code: 'message_count', category: 'user_input', retryable: false })
  expect(errorOf(more)['message']).toMatch(/^Expected exactly 1 message\. What did arrive:\n.*First\n.*Second$/)

  const fewer = await settled('--expect', '3', '--timeout', '200ms')
  expect(fewer).toMatchObject({ code: 3, stdout: '' })
  expect(errorOf(fewer)).toMatchObject({ code: 'message_count', category: 'timeout', retryable: true })
  expect(errorOf(fewer)['message']).toContain('Expected 3 messages within 200 ms.')
})
