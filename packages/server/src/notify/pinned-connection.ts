import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { canonicalAddress } from './address-rules.ts'
import { RequestFailure } from './request-failure.ts'
import type { ResolvedAddress } from './resolve-host.ts'
import { hostOf, portOf, PRIVATE } from './webhook-url.ts'

/** More addresses could not be tried within the connect timeout. */
const ADDRESSES_MAX = 4
/** Per address, before the next is tried in parallel. The default of 250 ms is too short for distant hosts. */
const ATTEMPT_MS = 1_000

/**
 * Connects to one of the given addresses only, with TLS for https. Sends nothing but the TLS handshake. The name is not
 * resolved again, so a DNS answer that changed after the check has no effect.
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
  // The certificate must match the name, not the address. An address must not be sent as server name.
  const servername = isIP(host) ? '' : host
  const encrypted = connectTls({ socket, host, servername, ALPNProtocols: ['http/1.1'] })
  await opened(encrypted, 'secureConnect', signal)
  return encrypted
}

/** The error listener stays attached: an error after connecting must not crash the process. */
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
    socket.once('close', () => reject(new RequestFailure('The connection was closed before a response was received.')))
  })
}
