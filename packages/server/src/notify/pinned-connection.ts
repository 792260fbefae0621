import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { canonicalAddress } from './address-rules.ts'
import { RequestFailure } from './request-failure.ts'
import type { ResolvedAddress } from './resolve-host.ts'
import { hostOf, portOf, PRIVATE } from './webhook-url.ts'

/** More would not be tried before the connection has to stand. */
const ADDRESSES_MAX = 4
/** For one address, before the next is tried beside it; the default of 250 ms gives up on the other side of the world. */
const ATTEMPT_MS = 1_000

/**
 * A connection to one of the given addresses and no other, with TLS for https; nothing has been sent on it but TLS.
 * Names are not resolved again, so that an answer which has changed since it was checked has no effect.
 */
export async function connectPinned(url: URL, addresses: ResolvedAddress[], signal: AbortSignal): Promise<Socket> {
  const pinned = addresses.slice(0, ADDRESSES_MAX)
  const socket = connect({
    host: hostOf(url),
    port: portOf(url),
    lookup: (_host, _options, callback) => callback(null, pinned),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  })
  await opened(socket, 'connect', signal)
  const remote = canonicalAddress(socket.remoteAddress ?? '')
  if (remote === null || !pinned.some(({ address }) => canonicalAddress(address) === remote)) {
    socket.destroy()
    throw new RequestFailure(PRIVATE.message)
  }
  return url.protocol === 'https:' ? secured(socket, hostOf(url), signal) : socket
}

async function secured(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  // The name, not the address, is what the certificate must be for; an address may not be sent as a server name.
  const servername = isIP(host) ? '' : host
  const encrypted = connectTls({ socket, host, servername, ALPNProtocols: ['http/1.1'] })
  await opened(encrypted, 'secureConnect', signal)
  return encrypted
}

/** The listener for errors stays: one that comes after the connection stands must not end the process. */
function opened(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => socket.destroy(signal.reason as RequestFailure)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    socket.once(event, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    socket.on('error', reject)
    socket.once('close', () => reject(new RequestFailure('The connection was closed before an answer came.')))
  })
}
