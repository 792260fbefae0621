import { describe, expect, test } from 'vitest'
import { canonicalAddress, isPublicAddress } from './address-rules.ts'

/** First and last address of each range that is not public, and its public neighbours. */
const V4_EDGES: { inside: [string, string]; outside: string[] }[] = [
  { inside: ['0.0.0.0', '0.255.255.255'], outside: ['1.0.0.0'] },
  { inside: ['10.0.0.0', '10.255.255.255'], outside: ['9.255.255.255', '11.0.0.0'] },
  { inside: ['100.64.0.0', '100.127.255.255'], outside: ['100.63.255.255', '100.128.0.0'] },
  { inside: ['127.0.0.0', '127.255.255.255'], outside: ['126.255.255.255', '128.0.0.0'] },
  { inside: ['168.63.129.16', '168.63.129.16'], outside: ['168.63.129.15', '168.63.129.17'] },
  { inside: ['169.254.0.0', '169.254.255.255'], outside: ['169.253.255.255', '169.255.0.0'] },
  { inside: ['172.16.0.0', '172.31.255.255'], outside: ['172.15.255.255', '172.32.0.0'] },
  { inside: ['192.0.0.0', '192.0.0.255'], outside: ['191.255.255.255', '192.0.1.0'] },
  { inside: ['192.0.2.0', '192.0.2.255'], outside: ['192.0.1.255', '192.0.3.0'] },
  { inside: ['192.88.99.0', '192.88.99.255'], outside: ['192.88.98.255', '192.88.100.0'] },
  { inside: ['192.168.0.0', '192.168.255.255'], outside: ['192.167.255.255', '192.169.0.0'] },
  { inside: ['198.18.0.0', '198.19.255.255'], outside: ['198.17.255.255', '198.20.0.0'] },
  { inside: ['198.51.100.0', '198.51.100.255'], outside: ['198.51.99.255', '198.51.101.0'] },
  { inside: ['203.0.113.0', '203.0.113.255'], outside: ['203.0.112.255', '203.0.114.0'] },
  { inside: ['224.0.0.0', '239.255.255.255'], outside: ['223.255.255.255'] },
  { inside: ['240.0.0.0', '255.255.255.255'], outside: [] },
]

describe('IPv4, also in the form that IPv6 sockets use', () => {
  test.each(V4_EDGES)('$inside are not public, $outside are', ({ inside, outside }) => {
    for (const address of inside) {
      expect(isPublicAddress(address), address).toBe(false)
      expect(isPublicAddress(`::ffff:${address}`), `::ffff:${address}`).toBe(false)
    }
    for (const address of outside) {
      expect(isPublicAddress(address), address).toBe(true)
      expect(isPublicAddress(`::ffff:${address}`), `::ffff:${address}`).toBe(true)
    }
  })
})

test.each([
  ['2606:4700::1111', true],
  ['2000::', true],
  ['2a00:1450:4001:80b::200e', true],
  ['2001:200::1', true],
  ['2003::1', true],
  ['3fff:1000::1', true],
  ['0:0:0:0:0:ffff:808:808', true],
  ['::FFFF:8.8.8.8', true],
  // Outside an interface identifier, the group 5efe has no meaning.
  ['2606:4700:0:5efe::1', true],
  ['::', false],
  ['::1', false],
  ['0:0:0:0:0:0:0:1', false],
  ['::ffff:7f00:1', false],
  ['::127.0.0.1', false],
  ['::8.8.8.8', false],
  ['::ffff:0:127.0.0.1', false],
  ['::ffff:0:8.8.8.8', false],
  ['64:ff9b::127.0.0.1', false],
  ['64:ff9b::8.8.8.8', false],
  ['64:ff9b:1::a00:1', false],
  ['100::1', false],
  ['2001::1', false],
  ['2001:0:4136:e378:8000:63bf:3fff:fdd2', false],
  ['2001:20::1', false],
  ['2001:1ff:ffff::1', false],
  ['2001:db8::1', false],
  ['2002:7f00:1::', false],
  ['2002:808:808::1', false],
  ['3fff::1', false],
  ['3fff:fff::1', false],
  ['4000::1', false],
  ['5f00::1', false],
  ['fc00::1', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['fe80::1%lo', false],
  ['2606:4700::1%eth0', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['2606:4700::5efe:127.0.0.1', false],
  ['2606:4700::200:5efe:8.8.8.8', false],
  ['', false],
  ['localhost', false],
  ['127.1', false],
  ['2130706433', false],
  ['0x7f.0.0.1', false],
  ['8.8.8.8 ', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})

test.each([
  ['127.0.0.1', '::ffff:127.0.0.1', true],
  ['127.0.0.1', '::FFFF:7f00:1', true],
  ['2606:4700::1', '2606:4700:0:0::0:1', true],
  ['::1', '0:0:0:0:0:0:0:1', true],
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304', true],
  ['127.0.0.1', '::127.0.0.1', false],
  ['::1', '::', false],
])('%s and %s are one address: %s', (one, other, isSame) => {
  expect(canonicalAddress(one)).not.toBeNull()
  expect(canonicalAddress(one) === canonicalAddress(other)).toBe(isSame)
})

test('an invalid address has no canonical form', () => {
  expect(['', 'example.com', 'fe80::1%lo', '1.2.3'].map(canonicalAddress)).toEqual([null, null, null, null])
})
