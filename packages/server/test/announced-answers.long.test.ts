import { expect, test } from 'vitest'
import { expectRightOutcomes } from './support/announced-answers.ts'

test('over the network, a mail is accepted, retried or left to an operator for every number of a status', async () => {
  const counts = await expectRightOutcomes(Array.from({ length: 500 }, (_, index) => 100 + index))
  expect(counts).toEqual({ taken: 400, repeated: 1235, 'left to a person': 365 })
})
