import { basePathOf } from '../http/base-path.ts'
import type { Upgrades } from '../http/listen.ts'
import { withKey, withoutKey } from './access.ts'
import type { DoorFetch, DoorPorts, Enter, Peer } from './door.ts'
import { createMaildev } from './maildev/maildev.ts'
import { createMailhog } from './mailhog/mailhog.ts'
import { createMailpit } from './mailpit/mailpit.ts'
import type { PeerName } from './peers.ts'

const CREATE: Record<PeerName, (ports: DoorPorts) => Peer> = {
  mailpit: createMailpit,
  mailhog: createMailhog,
  maildev: createMaildev,
}

/**
 * The API of another mail catcher, twice: below `/compat/<name>/` of our API, where a key is required, and on a port of its
 * own, where a request without a key sees the first team.
 */
export function openDoors(name: PeerName, ports: DoorPorts) {
  const peer = CREATE[name](ports)
  const prefix = `/compat/${name}`
  const [keyed, open] = [withKey(ports), withoutKey(ports)]
  const { fetch, routes } = peer.serve(keyed)
  const serveKeyed = withSingleSlashes(fetch)

  /** Of the WebSocket below these prefixes. */
  function upgradesBelow(prefixes: string[], enter: Enter): Upgrades | null {
    if (!peer.events) return null
    const { path, connect } = peer.events
    const paths = prefixes.map((before) => `${before}${path}`)
    const isWebSocket = (protocol: string | undefined) => protocol?.toLowerCase() === 'websocket'
    return {
      takes: ({ url = '', headers }) => isWebSocket(headers.upgrade) && paths.includes(url.split('?')[0]!),
      take: connect(enter),
    }
  }

  return {
    /** Serves the requests below the prefix, and leaves others to the API. */
    besides(api: DoorFetch): DoorFetch {
      return (request, bindings) => {
        const url = new URL(request.url)
        if (!url.pathname.startsWith(`${prefix}/`)) return api(request, bindings)
        url.pathname = url.pathname.slice(prefix.length)
        return serveKeyed(new Request(url, request), bindings)
      }
    },
    upgradesBesides: upgradesBelow(
      ['', basePathOf(ports.site.appUrl)].map((base) => `${base}${prefix}`),
      keyed,
    ),
    /** At the root, for a port of its own. */
    fetch: withSingleSlashes(peer.serve(open).fetch),
    /** As declared by the peer. */
    routes,
    upgrades: upgradesBelow([''], open),
    deleted: peer.deleted,
    close: peer.close,
  }
}

/** Some clients ask for `//view/…`, and the routers of other mail catchers redirect them. */
function withSingleSlashes(fetch: DoorFetch): DoorFetch {
  return (request, bindings) => {
    const url = new URL(request.url)
    if (!url.pathname.includes('//')) return fetch(request, bindings)
    url.pathname = url.pathname.replaceAll(/\/{2,}/g, '/')
    return fetch(new Request(url, request), bindings)
  }
}
