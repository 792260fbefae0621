import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { Log } from '../observe/log.ts'
import { takeWebSockets } from './upgrade.ts'

test('a WebSocket that fails to open for a reason of the server is a 500, and the reason is in the log', async () => {
  const log = { error: vi.fn<Log['error']>() } as unknown as Log
  const events = { begin: () => Promise.reject(new Error('not reached')), connect: () => {} }
  const take = takeWebSockets({ log }, events)(() => Promise.reject(new Error('broken')))
  const socket = new PassThrough()
  take({ headers: {} } as IncomingMessage, socket, Buffer.alloc(0))
  const [response] = (await once(socket, 'data')) as [Buffer]
  expect(response.toString()).toMatch(/^HTTP\/1\.1 500 /)
  expect(log.error).toHaveBeenCalledWith({ err: new Error('broken') }, 'opening a WebSocket failed')
})
