import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { expect, test, vi } from 'vitest'
import { watchOpenResources } from './support/open-resources.ts'

test('a server, both ends of its connection and a child process are listed until they are closed', async () => {
  const leftOpen = watchOpenResources()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(server, 'connection')
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  expect(leftOpen()).toEqual(['1 TCPServerWrap', '2 TCPSocketWrap', '1 ProcessWrap'])
  child.kill()
  socket.destroy()
  server.close()
  await vi.waitUntil(() => leftOpen().length === 0)
})
