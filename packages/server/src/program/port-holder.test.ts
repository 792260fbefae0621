import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { findPortHolder, listenersIn, nameOf } from './port-holder.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:0BBB 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:0BBB 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 4712 1 0000000000000000 100 0 0 10 0
   2: 0100007F:0BBC 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4713 1 0000000000000000 100 0 0 10 0
`

test('only listening sockets on the port count', () => {
  expect(listenersIn(TABLE, 3003)).toEqual(['4711'])
  expect(listenersIn('', 3003)).toEqual([])
})

test.each([
  [['/usr/bin/node', '/home/ada/shop/server.js', '--token=secret'], 'node server.js'],
  [['node', '--inspect', 'server.js'], 'node'],
  [['/usr/bin/python3.12', 'manage.py', 'runserver'], 'python3.12 manage.py'],
  [['/usr/sbin/nginx', '-g', 'daemon off;'], 'nginx'],
  [['node', '/home/ada/shop/node_modules/.bin/mailhatch', '--catch-all'], 'Mailhatch'],
  [['/home/ada/.cache/mailhatch/node-24.21.0-x64', '/app/node_modules/mailhatch/bin/launched.js'], 'Mailhatch'],
  [['node', '/app/packages/server/bin/mailhatch.js', 'serve'], 'Mailhatch'],
  [['nginx: master process /usr/sbin/nginx'], 'nginx'],
])('the name of %j is %s', (words, name) => {
  expect(nameOf(words)).toBe(name)
})

test.each(['127.0.0.1', '::1'])('the process that listens on %s is found', async (host) => {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  onTestFinished(() => void server.close())
  expect(findPortHolder(port)).toContain(`(process ${process.pid}, in ${process.cwd()})`)
  server.close()
  await once(server, 'close')
  expect(findPortHolder(port)).toBeNull()
})
