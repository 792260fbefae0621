import { lookup, Resolver } from 'node:dns/promises'
import { isIP, isIPv6 } from 'node:net'

export type ResolvedAddress = { address: string; family: number }
export type ResolveHost = (host: string) => Promise<ResolvedAddress[]>

/** Two attempts end before the connect timeout. */
const DNS_ATTEMPT_MS = 1_500
const DNS_ATTEMPTS = 2

/**
 * Resolves all A and AAAA records of a customer's host name. Queries the name servers directly: the system lookup
 * occupies one of four threads that files and passwords need too, and a slow name would block it.
 */
export function createPublicResolver(servers: string[] | null = null): ResolveHost {
  return async (host) => {
    const resolver = new Resolver({ timeout: DNS_ATTEMPT_MS, tries: DNS_ATTEMPTS })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [six, four].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.map(withFamily) : []))
  }
}

/** The system lookup, which includes the hosts file and the container network. */
export const resolveLocalName: ResolveHost = (host) => lookup(host, { all: true, order: 'verbatim' })

/** An IP address needs no lookup and must not be sent to a name server. */
export function resolveLiteral(host: string): ResolvedAddress[] | null {
  return isIP(host) ? [withFamily(host)] : null
}

function withFamily(address: string): ResolvedAddress {
  return { address, family: isIPv6(address) ? 6 : 4 }
}
