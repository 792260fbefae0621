import { STATUS_CODES, type IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Principal } from '../domain/access.ts'
import { AppError } from '../domain/errors.ts'
import { refusalFor } from '../http/errors.ts'
import type { Upgrades } from '../http/listen.ts'
import { COMMON_HEADERS } from './common-headers.ts'
import type { DoorPorts, Enter } from './door.ts'
import { webSocketClient, type EventClient } from './event-client.ts'
import type { EventStart } from './event-groups.ts'

/** Clients have nothing to say. */
const CLIENT_BYTES_MAX = 1_024

type Events = {
  begin(principal: Principal): Promise<EventStart>
  connect(principal: Principal, start: EventStart, open: () => EventClient | null): void
}

/** Opens WebSockets that receive events. */
export function takeWebSockets(
  { log }: Pick<DoorPorts['observe'], 'log'>,
  { begin, connect }: Events,
): (enter: Enter) => Upgrades['take'] {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: CLIENT_BYTES_MAX,
  })

  async function open(enter: Enter, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string])
    const principal = await enter(new Headers(headers))
    const start = await begin(principal)
    connect(principal, start, () => {
      let client: EventClient | null = null
      // Responds at once. Without a client, it has refused the handshake.
      webSockets.handleUpgrade(request, socket, head, (webSocket) => (client = webSocketClient(webSocket)))
      return client
    })
  }

  return (enter) => (request, socket, head) => {
    open(enter, request, socket, head).catch((error: unknown) => {
      if (!(error instanceof AppError)) log.error({ err: error }, 'opening a WebSocket failed')
      refuseUpgrade(socket, refusalFor(error))
    })
  }
}

/** Responds to a request for a WebSocket that is refused, and closes the connection. */
function refuseUpgrade(socket: Duplex, { status, message, headers }: AppError): void {
  const body = Buffer.from(message)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries({ ...COMMON_HEADERS, ...headers }).map(([name, value]) => `${name}: ${value}`),
    'content-type: text/plain; charset=utf-8',
    `content-length: ${body.length}`,
    'connection: close',
  ]
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy())
}
