import { expect, test } from 'vitest'
import type { AttemptResult } from '../notify/attempt.ts'
import { limitTests } from './test-limit.ts'

const TAKEN: AttemptResult = { httpStatus: 200, responseBody: '', latencyMs: 1, error: null, retryAfterMs: null }
const EVENT = { eventId: 'event', body: '{}' }

function endpointOf(id: string) {
  return { id, url: 'https://shop.example', secret: 'sealed', oldSecrets: [] }
}

test('an endpoint has five tests at once, and another when one ends, with any result', async () => {
  const held: PromiseWithResolvers<AttemptResult>[] = []
  const attempt = limitTests(() => {
    held.push(Promise.withResolvers())
    return held.at(-1)!.promise
  })
  const send = (id: string) => attempt(endpointOf(id), EVENT)
  const first = Array.from({ length: 5 }, () => send('one'))
  const refusal = { code: 'rate_limited', headers: { 'retry-after': '10' } }
  await expect(send('one')).rejects.toMatchObject(refusal)
  const other = send('other')
  expect(held).toHaveLength(6)
  held[0]!.resolve(TAKEN)
  held[1]!.reject(new Error('broken'))
  await Promise.allSettled(first.slice(0, 2))
  const next = [send('one'), send('one')]
  await expect(send('one')).rejects.toMatchObject(refusal)
  for (const { resolve } of held) resolve(TAKEN)
  expect(await Promise.all([...first.slice(2), ...next, other])).toHaveLength(6)
})
