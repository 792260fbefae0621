import { expect, test } from '@mailhatch/sdk/playwright'

test('counts mail', async ({ inbox }) => {
  expect(await inbox.expectExactly(0, { subject: 'Twice' }, { quiet: '10ms' })).toEqual([])
  expect(await inbox.waitForCount(0)).toEqual([])
  expect(await inbox.waitForAll({}, { quiet: '10ms' })).toEqual([])
  expect((await inbox.settled({ quiet: '10ms' })).count).toBe(0)
  expect(await inbox.attempts()).toEqual([])
})
