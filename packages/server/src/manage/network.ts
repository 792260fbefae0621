import { canonicalAddress } from '../notify/address-rules.ts'

/** The owner of an IPv6 address usually controls its whole /64, which is the first four groups. */
const NETWORK_GROUPS = 4

/** The network by which an address is counted. An IPv4 address counts as itself in every notation. */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address.replace(/%.*$/, '').replace(/^\[(.*)\]$/, '$1'))
  if (canonical === null || !canonical.includes(':')) return canonical ?? address
  return canonical.split(':').slice(0, NETWORK_GROUPS).join(':')
}
