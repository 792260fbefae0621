import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import { selfSignedCertificate } from './certificate.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const SEED = 17
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'.split('')

/** Host names of every length up to 253, because DER writes lengths from 128 and 256 on in another way. */
function randomHostNames(count: number): string[] {
  const random = seededRandom(SEED)
  return Array.from({ length: count }, (_, index) => {
    const length = 1 + Math.round((index * 252) / (count - 1))
    const characters = Array.from({ length }, () => random.pick(LETTERS))
    // A label has at most 63 characters, and a dot is neither first nor last.
    return characters.map((each, at) => (at % 50 === 49 && at < length - 1 ? '.' : each)).join('')
  })
}

const HOST_NAMES = ['mx.test', 'build-7', 'localhost', ...randomHostNames(40)].filter((name) => /[a-z]$/.test(name))

test.each(HOST_NAMES)(
  `the certificate for %s is valid for it and for this machine (seed ${SEED})`,
  async (hostname) => {
    const { cert, key } = await selfSignedCertificate(hostname)
    const certificate = new X509Certificate(cert)
    expect(certificate.checkHost(hostname)).toBe(hostname)
    expect(certificate.checkHost('localhost')).toBe('localhost')
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
    expect(certificate.checkIP('::1')).toBe('::1')
    expect(certificate.checkHost(`other.${hostname}`)).toBeUndefined()
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.checkIssued(certificate)).toBe(true)
    expect(certificate.ca).toBe(false)
    expect(key).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(certificate.validFromDate.getTime()).toBeLessThan(Date.now())
    expect(certificate.validToDate.getTime()).toBeGreaterThan(Date.now() + 364 * DAY_MS)
  },
)

test('a machine may have an address or an odd text as its name', async () => {
  const named = async (hostname: string) => new X509Certificate((await selfSignedCertificate(hostname)).cert)
  expect((await named('10.1.2.3')).checkIP('10.1.2.3')).toBe('10.1.2.3')
  expect((await named('bücher.test')).checkHost('xn--bcher-kva.test')).toBe('xn--bcher-kva.test')
  for (const odd of ['', ' ', 'a b', '::1']) expect((await named(odd)).checkHost('localhost')).toBe('localhost')
})

test('no two certificates have the same number', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => selfSignedCertificate('mx.test')))
  expect(new Set(made.map(({ cert }) => new X509Certificate(cert).serialNumber)).size).toBe(20)
})
