import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How one request is handled: passed on, answered with a status, or disconnected. */
export type Fault = 'pass' | 'drop' | { status: number; headers?: Record<string, string>; body?: string }

type FaultOf = (number: number, url: string, method: string) => Fault

/** A proxy between a client and the server that handles each request as the test says. Closed when the test ends. */
export async function startFaultyProxy(target: string, faultOf: FaultOf) {
  const asked: string[] = []
  const server = createServer((incoming, outgoing) => {
    const fault = faultOf(asked.push(incoming.url!), incoming.url!, incoming.method!)
    if (fault === 'drop') incoming.socket.destroy()
    else if (fault === 'pass') passOn(target, incoming, outgoing)
    else outgoing.writeHead(fault.status, fault.headers).end(fault.body ?? '<h1>Not Mailhatch</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, cutAll: () => server.closeAllConnections() }
}

function passOn(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers } = incoming
  const onward = request(`${target}${incoming.url}`, { method, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers)
    outgoing.flushHeaders()
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  onward.on('error', () => outgoing.destroy())
  outgoing.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
