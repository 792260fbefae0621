import { canonicalAddress } from '../notify/address-rules.ts'

/** Whoever has one IPv6 address has its /64, the first four groups, to choose others from. */
const NETWORK_GROUPS = 4

/** What an address is counted as: an IPv4 address is itself, however it is written. */
export function networkOf(address: string): string {
  const canonical = canonicalAddress(address.replace(/%.*$/, '').replace(/^\[(.*)\]$/, '$1'))
  if (canonical === null || !canonical.includes(':')) return canonical ?? address
  return canonical.split(':').slice(0, NETWORK_GROUPS).join(':')
}
