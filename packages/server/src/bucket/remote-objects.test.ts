import { expect, onTestFinished, test } from 'vitest'
import { startDouble, type GivenResponse } from '../../test/support/json-double.ts'
import { ObjectsUnreachable } from './message-objects.ts'
import { remoteObjects } from './remote-objects.ts'

const MESSAGE = { domain: 'localhost', mailbox: '"a/b c"', id: '01a1dd20-3c5f-7a3e-869b-e2d14e2e7482' }
const NOT_FOUND = { status: 404, body: { error: 'Message not found', code: 'message_not_found' } }

async function start(say: () => GivenResponse) {
  const worker = await startDouble(say)
  onTestFinished(() => worker.close())
  let at = 0
  const objects = remoteObjects({ url: worker.url, token: 'admin-token', now: () => at })
  return { worker, objects, pass: (milliseconds: number) => (at += milliseconds) }
}

test('names are escaped, and a domain without dots is marked as complete', async () => {
  const { worker, objects } = await start(() => ({ status: 200, body: 'raw mail' }))
  const raw = await objects.raw(MESSAGE)
  expect(raw!.size).toBe(8)
  expect(await new Response(raw!.stream).text()).toBe('raw mail')
  await objects.remove([MESSAGE])
  const path = `/admin/inboxes/%22a%2Fb%20c%22/messages/${MESSAGE.id}`
  expect(worker.heard.map(({ method, path, authorization }) => [method, path, authorization])).toEqual([
    ['GET', `${path}/raw?domain=localhost.`, 'Bearer admin-token'],
    ['DELETE', `${path}?domain=localhost.`, 'Bearer admin-token'],
  ])
})

test('an object that the worker does not have is null, and deleting it is not an error', async () => {
  const { objects } = await start(() => NOT_FOUND)
  expect(await objects.raw(MESSAGE)).toBeNull()
  await objects.remove([MESSAGE])
})

test.each<[string, GivenResponse]>([
  ['a 404 from another server', { status: 404, body: '<html>' }],
  ['a 404 from an unknown route', { status: 404, body: { error: 'Not found', code: 'not_found' } }],
  ['a wrong token', { status: 401, body: { error: 'Unauthorized', code: 'unauthorized' } }],
  ['a broken worker', { status: 500, body: { error: 'no', code: 'internal' } }],
  ['a redirect', { status: 302, body: '' }],
])('%s does not mean that the objects are missing', async (_, said) => {
  const { objects } = await start(() => said)
  await expect(objects.raw(MESSAGE)).rejects.toThrow(ObjectsUnreachable)
  await expect(objects.remove([MESSAGE])).rejects.toThrow(ObjectsUnreachable)
})

test('after a failure the next deletions fail at once, and the worker is called again later', async () => {
  const { worker, objects, pass } = await start(() => ({ status: 503, body: '' }))
  await expect(objects.remove([MESSAGE])).rejects.toThrow('503')
  await expect(objects.remove([MESSAGE])).rejects.toThrow('failed recently')
  expect(worker.heard).toHaveLength(1)
  worker.say = () => NOT_FOUND
  pass(5_000)
  await objects.remove([MESSAGE])
  expect(worker.heard).toHaveLength(2)
})
