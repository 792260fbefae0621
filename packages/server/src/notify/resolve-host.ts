import { lookup, Resolver } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'

export type ResolvedAddress = { address: string; family: number }
export type ResolveHost = (host: string) => Promise<ResolvedAddress[]>

/** With two tries, an answer comes, or is given up, before a connection is. */
const DNS_TRY_MS = 1_500
const DNS_TRIES = 2

/**
 * Finds all A and AAAA records of a stranger's name. Asks the name servers itself: the system's own lookup takes one of
 * four threads that files and passwords need too, and a slow name would hold it.
 */
export function createPublicResolver(servers: string[] | null = null): ResolveHost {
  return async (host) => {
    const resolver = new Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [six, four].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.map(withFamily) : []))
  }
}

/** What the machine itself makes of a name: also those of its hosts file and of its container network. */
export const resolveLocalName: ResolveHost = (host) => lookup(host, { all: true, order: 'verbatim' })

/** An address needs no resolving, and must not be sent to a name server. */
export function resolveLiteral(host: string): ResolvedAddress[] | null {
  return isIP(host) ? [withFamily(host)] : null
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: isIPv6(address) ? 6 : 4 }
}
