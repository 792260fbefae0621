import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What clients sent to their database. */
export type Said = {
  /** Parameters of new connections. */
  parameters: Set<string>
  /** Statements that were sent as text. */
  queries: string[]
  /** Names of prepared statements. The unnamed one is replaced by the next. */
  prepared: Set<string>
}

/** A proxy between clients and their database that forwards and records everything. */
export async function startWireReader(databaseUrl: string): Promise<{ url: string; said: Said }> {
  const target = new URL(databaseUrl)
  const said: Said = { parameters: new Set(), queries: [], prepared: new Set() }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('data', readerFor(said))
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('expected a TCP port')
  const url = new URL(databaseUrl)
  url.port = String(address.port)
  return { url: url.href, said }
}

/** Messages as in PostgreSQL's protocol 3: the first without a type, each with its length. */
function readerFor(said: Said): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let isOpened = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = isOpened ? 1 : 0
      if (rest.length < start + 4) return
      const end = start + rest.readUInt32BE(start)
      if (rest.length < end) return
      const type = isOpened ? String.fromCharCode(rest[0]!) : 'opening'
      const body = rest.subarray(start + 4, end)
      if (type === 'opening') for (const name of namesIn(body.subarray(4))) said.parameters.add(name)
      if (type === 'Q') said.queries.push(textAt(body, 0))
      if (type === 'P') said.prepared.add(textAt(body, 0))
      isOpened = true
      rest = rest.subarray(end)
    }
  }
}

/** The names in a list of names and values, each ended by a zero. */
function namesIn(body: Buffer): string[] {
  return body
    .toString('utf8')
    .split('\0')
    .filter((text, index) => index % 2 === 0 && text !== '')
}

function textAt(body: Buffer, start: number): string {
  return body.subarray(start, body.indexOf(0, start)).toString('utf8')
}
