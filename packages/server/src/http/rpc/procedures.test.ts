import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../../domain/errors.ts'
import { procedure, router, type RpcContext } from './procedures.ts'

const TEAM = { id: 'team', name: 'Team', plan: 'pro' as const, retentionDays: null, domain: null }
const OWNER: RpcContext = {
  signedIn: {
    sessionId: 'session',
    user: { id: 'user', email: 'ada@people.test', name: 'Ada', createdAt: 0, isEmailChecked: true },
    team: TEAM,
    role: 'owner',
  },
  requireOrigin: () => {},
  isOperator: async () => false,
  readAgain: async () => null,
  proceed() {},
}

/** The response to a call that fails with this error. */
async function answerTo(error: unknown) {
  const failing = router({
    fail: procedure('owners').query(() => {
      throw error
    }),
  })
  const response = await fetchRequestHandler({
    endpoint: '/trpc',
    router: failing,
    req: new Request('http://app.test/trpc/fail'),
    createContext: () => OWNER,
  })
  const text = await response.text()
  const { error: answered } = JSON.parse(text)
  return { status: response.status, code: answered.data.errorCode, message: answered.message, text }
}

const LIMIT = 'Mailbox limit reached for this plan.'

test.each([
  [new AppError('mailbox_limit', LIMIT), 403, 'mailbox_limit', LIMIT],
  [new AppError('storage_full', 'Out of space.'), 500, 'storage_full', 'Out of space.'],
  [new AppError('provider_failed', 'Unreachable.'), 502, 'provider_failed', 'Unreachable.'],
  [
    Object.assign(new Error('secret detail'), { code: 'ECONNREFUSED' }),
    503,
    'database_unavailable',
    'The database is unreachable. Please retry.',
  ],
  [new Error('secret detail'), 500, 'internal', 'Something went wrong on our side.'],
  [new TypeError('secret detail'), 500, 'internal', 'Something went wrong on our side.'],
])('the response to %s is %i %s', async (error, status, code, message) => {
  const answer = await answerTo(error)
  expect(answer).toMatchObject({ status, code, message })
  expect(answer.text).not.toContain('secret detail')
  expect(answer.text).not.toContain('.ts:')
})

/** The compiler checks these lines: a missing error is an error. */
test('a procedure without a declared access does not compile', () => {
  expect(procedure('owners').query(() => 1)._def.meta).toEqual({ access: 'owners' })
  // @ts-expect-error -- no access
  expect(() => procedure().query(() => 1)).toThrow(TypeError)
  // @ts-expect-error -- an access that does not exist
  expect(() => procedure('friends').query(() => 1)).toThrow(TypeError)
})

test('the error of an invalid input names the fields', async () => {
  const picky = router({
    ask: procedure('anyone')
      .input(z.object({ name: z.string().max(3) }))
      .query(({ input }) => input.name),
  })
  const ask = async (input: object) => {
    const address = `http://app.test/trpc/ask?input=${encodeURIComponent(JSON.stringify(input))}`
    const handled = { endpoint: '/trpc', router: picky, createContext: () => OWNER }
    return (await fetchRequestHandler({ ...handled, req: new Request(address) })).json()
  }
  expect(await ask({ name: 'Ada' })).toEqual({ result: { data: 'Ada' } })
  expect(await ask({ name: 'Augusta' })).toMatchObject({
    error: { data: { code: 'BAD_REQUEST', errorCode: 'validation_failed', details: { name: [expect.any(String)] } } },
  })
})
