import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startTestServer, TestClient, type TestServerOptions } from './test-kit.ts'

async function startWithClient(options: TestServerOptions = {}) {
  const started = await startTestServer(options)
  return { ...started, client: await TestClient.connectWithHello(started.server.port) }
}

test('an idle session gets 421 4.3.2, and new connections are refused', async () => {
  const { client, server } = await startWithClient()
  const { port } = server
  const closing = server.close()
  expect(await client.reply()).toMatch(/^421 4\.3\.2 /)
  expect(await client.reply()).toBe('')
  client.destroy()
  await closing
  const late = connect({ port, host: '127.0.0.1' })
  await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('mail in transfer is completed and acknowledged before the 421', async () => {
  const { client, server, mails } = await startWithClient()
  await client.begin()
  await client.say('DATA')
  client.send('first half, ')
  const closing = server.close()
  client.send('second half\r\n.\r\n')
  expect(await client.reply()).toBe('250 2.0.0 Stored\r\n')
  expect(await client.reply()).toMatch(/^421 4\.3\.2 /)
  client.destroy()
  await closing
  expect(mails.map(({ bytes }) => bytes.toString())).toEqual(['first half, second half\r\n'])
})

test('chunks of a started mail can be completed too', async () => {
  const { client, server, mails } = await startWithClient()
  await client.begin()
  await client.chunk('one ', false)
  const closing = server.close()
  expect(await client.chunk('two', true)).toBe('250 2.0.0 Stored\r\n')
  expect(await client.reply()).toMatch(/^421 4\.3\.2 /)
  client.destroy()
  await closing
  expect(mails).toHaveLength(1)
})

test('the shutdown waits for mail that is being stored', async () => {
  const stored = Promise.withResolvers<string[]>()
  const started = Promise.withResolvers<void>()
  const { client, server } = await startWithClient({
    receive: () => {
      started.resolve()
      return stored.promise
    },
  })
  const replying = client.deliver('text')
  await started.promise
  const closing = server.close()
  stored.resolve([])
  expect(await replying).toMatch(/^250 /)
  expect(await client.reply()).toMatch(/^421 4\.3\.2 /)
  client.destroy()
  await closing
})

test('limit: mail that is not complete in time is cut off and not acknowledged', async () => {
  const { client, server, mails } = await startWithClient({ limits: { shutdownMs: 20 } })
  await client.begin()
  await client.say('DATA')
  client.send('never finished')
  await server.close()
  expect(await client.reply()).toBe('')
  expect(server.connections).toBe(0)
  expect(mails).toEqual([])
})

test('closing twice closes once', async () => {
  const { server } = await startTestServer()
  await Promise.all([server.close(), server.close()])
  expect(server.connections).toBe(0)
})
