import { accept, NotFoundError, reject } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { startServer } from './support/server.ts'

test('a script can be ended twice, and after another one has replaced it', async () => {
  const { sdk } = await startServer()
  const inbox = await sdk.addresses.create()
  const first = await inbox.script([reject(451)])
  const second = await inbox.script([accept()])
  await first.end()
  expect(await second.state()).toMatchObject({ id: second.id, nextStep: 0 })
  await second.end()
  await second.end()
  expect(await sdk.scenarios.list()).toEqual([])
  for (const script of [first, second]) {
    const failure: unknown = await script.state().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(NotFoundError)
    expect(failure).toMatchObject({ message: expect.stringContaining(`The scenario for ${inbox.address} has ended`) })
  }
  await expect(sdk.scenarios.delete(second.id)).rejects.toBeInstanceOf(NotFoundError)
})
