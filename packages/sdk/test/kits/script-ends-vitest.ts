import { NotFoundError, reject } from '@mailhatch/sdk'
import { expect, test } from '@mailhatch/sdk/vitest'

let id: string

test('has a script', async ({ inbox, mailhatch }) => {
  id = (await inbox.script([reject(550)])).id
  expect(await mailhatch.scenarios.get(id)).toMatchObject({ to: inbox.address })
})

test('after it, the script has ended', async ({ mailhatch }) => {
  await expect(mailhatch.scenarios.get(id)).rejects.toThrow(NotFoundError)
})
