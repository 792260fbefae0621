import { MailpitClient } from 'mailpit-api'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/postgres.ts'
import { startReplicas } from './replicas.ts'

test("tags that are set through Mailpit's API of one replica are seen through that of another", async () => {
  const environment = { COMPAT: 'mailpit' }
  const { urls, key, announce } = await startReplicas(await freshDatabase(), { count: 2, environment })
  const auth = { username: 'ci', password: key }
  const [one, other] = urls.map((url) => new MailpitClient(`${url}/compat/mailpit/`, { auth }))
  expect(await announce(urls[0]!)).toMatchObject({ status: 200 })
  const [message] = (await other!.waitForMessages()).messages
  expect(await other!.getTags()).toEqual(message!.Tags)

  await one!.setTags({ IDs: [message!.ID], Tags: ['blue'] })
  expect(await other!.getTags()).toEqual(['blue'])
  await other!.renameTag('blue', 'Red')
  expect((await one!.searchMessages({ query: 'tag:red' })).messages).toMatchObject([{ Tags: ['Red'] }])
  await one!.deleteTag('red')
  expect(await other!.getTags()).toEqual([])
  await one!.setTags({ IDs: [message!.ID], Tags: ['last'] })
  await other!.deleteMessages({ IDs: [message!.ID] })
  expect(await one!.getTags()).toEqual([])
})
