import { expect, test } from 'vitest'
import { refusal, startFakeServer } from '../test/support/fake-server.ts'
import * as errors from './errors.ts'
import { toResult } from './result.ts'

test.each([
  [400, errors.ValidationError, 'ValidationError'],
  [401, errors.AuthenticationError, 'AuthenticationError'],
  [403, errors.ForbiddenError, 'ForbiddenError'],
  [404, errors.NotFoundError, 'NotFoundError'],
  [409, errors.ConflictError, 'ConflictError'],
  [422, errors.ValidationError, 'ValidationError'],
  [429, errors.RateLimitError, 'RateLimitError'],
  [500, errors.MailhatchError, 'MailhatchError'],
  [503, errors.MailhatchError, 'MailhatchError'],
])('status %i has its own error class', async (status, Kind, name) => {
  const { sdk } = await startFakeServer([refusal(status, 'some_code')], { retries: 0 })
  const error: unknown = await sdk.me().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(Kind)
  expect(error).toBeInstanceOf(errors.MailhatchError)
  expect(error).toMatchObject({ name, status, code: 'some_code', requestId: 'r1', body: { error: 'A sentence.' } })
})

test('an error says what to do', async () => {
  const key = await startFakeServer([refusal(401, 'unauthorized', { error: 'Unauthorized' })])
  await expect(key.sdk.me()).rejects.toThrow(/^Unauthorized\. Check the API key \(`apiKey`, or MAILHATCH_API_KEY\)/)
  const none = await startFakeServer([refusal(401, 'unauthorized', { error: 'Unauthorized' })], { apiKey: '' })
  await expect(none.sdk.me()).rejects.toThrow(/^Unauthorized\. No API key was given: /)
  expect(none.requests[0]?.headers.authorization).toBeUndefined()
  const scope = await startFakeServer([refusal(403, 'forbidden', { error: 'Forbidden' })])
  await expect(scope.sdk.me()).rejects.toThrow('Forbidden. This key’s scope or mailbox does not allow it')
  const details = { url: ['must be a URL'], tag: ['is too long'] }
  const body = await startFakeServer([refusal(400, 'validation_failed', { error: 'The body is not valid.', details })])
  await expect(body.sdk.me()).rejects.toThrow('The body is not valid. url: must be a URL; tag: is too long.')
})

test('a response that is not from Mailhatch is an error with its status', async () => {
  const page = await startFakeServer([{ status: 502, body: '<h1>Bad gateway</h1>' }], { retries: 0 })
  await expect(page.sdk.me()).rejects.toMatchObject({ name: 'MailhatchError', status: 502, code: 'unknown' })
  const website = await startFakeServer([{ status: 200, body: '<h1>Welcome</h1>' }])
  await expect(website.sdk.me()).rejects.toThrow(
    'The server responded with 200 OK, but not like Mailhatch. Check the url.',
  )
  expect(website.requests).toHaveLength(1)
})

test('toResult returns a failure as a value', async () => {
  const { sdk } = await startFakeServer([
    refusal(404, 'message_not_found'),
    { status: 200, body: '{"data":{"id":"1"}}' },
  ])
  expect(await toResult(sdk.messages.delete('1'))).toEqual({
    data: null,
    error: {
      message: 'A sentence.',
      status: 404,
      code: 'message_not_found',
      requestId: 'r1',
      cause: expect.any(errors.NotFoundError),
    },
  })
  expect(await toResult(sdk.messages.delete('1'))).toEqual({ data: { id: '1' }, error: null })
  await expect(toResult(Promise.reject(new TypeError('A bug')))).rejects.toThrow('A bug')
})
