import { BlockList, isIP, isIPv4 } from 'node:net'

/** IPv4 ranges that are not public: IANA's special-purpose registry, and reserved addresses of clouds. */
const NOT_PUBLIC_V4 = blockList('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and metadata at 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure platform services, although in a public range
  '169.254.0.0/16', // link-local, and metadata at 169.254.169.254
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
])

/** Global unicast. Everything outside is loopback, local, multicast, mapped IPv4 or unassigned. */
const GLOBAL_V6 = blockList('ipv6', ['2000::/3'])

/** Ranges within global unicast that are not public. */
const NOT_PUBLIC_V6 = blockList('ipv6', [
  '2001::/23', // Teredo, ORCHID and other protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which ends at the IPv4 address inside
  '3fff::/20', // documentation
])

/** Whether the address is public. Invalid addresses and addresses with a zone are not. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !NOT_PUBLIC_V4.check(address, 'ipv4')
  const groups = groupsOf(address)
  if (!groups) return false
  const mapped = mappedV4(groups)
  if (mapped !== null) return isPublicAddress(mapped)
  return GLOBAL_V6.check(address, 'ipv6') && !NOT_PUBLIC_V6.check(address, 'ipv6') && !isIsatap(groups)
}

/** One form for all notations of an address, mapped IPv4 as IPv4. Null for an invalid address. */
export function canonicalAddress(address: string): string | null {
  if (isIPv4(address)) return address
  const groups = groupsOf(address)
  return groups && (mappedV4(groups) ?? groups.map((group) => group.toString(16)).join(':'))
}

/** The eight groups of an IPv6 address. Null for an invalid address or one with a zone. */
function groupsOf(address: string): number[] | null {
  if (isIP(address) !== 6 || address.includes('%')) return null
  const hex = address.replace(/[^:]+\.[^:]+$/, (tail) => {
    const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [left = [], right = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/** `::ffff:a.b.c.d` is how sockets report the IPv4 address itself. */
function mappedV4(groups: number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : null
}

/** RFC 5214: with any prefix, packets go to the IPv4 address in the last four bytes. */
function isIsatap(groups: number[]): boolean {
  // Bit 0x0200 says whether the IPv4 address is globally unique; both forms are used.
  return (groups[4]! & ~0x0200) === 0 && groups[5] === 0x5efe
}

function blockList(family: 'ipv4' | 'ipv6', subnets: string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}
