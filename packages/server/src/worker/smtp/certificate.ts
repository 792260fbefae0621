import { generateKeyPair, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import * as der from './der.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
// Generated at every start, so it only has to outlive the process.
const VALID_MS = 365 * DAY_MS

const ECDSA_WITH_SHA256 = der.sequence(der.objectIdentifier('1.2.840.10045.4.3.2'))
const COMMON_NAME = der.objectIdentifier('2.5.4.3')
const BASIC_CONSTRAINTS = der.objectIdentifier('2.5.29.19')
const SUBJECT_ALT_NAME = der.objectIdentifier('2.5.29.17')
const VERSION_3 = der.integer(Buffer.of(2))
// The addresses of this machine.
const IPV4_LOOPBACK = Buffer.of(127, 0, 0, 1)
const IPV6_LOOPBACK = Buffer.concat([Buffer.alloc(15), Buffer.of(1)])

/** For clients that require STARTTLS but do not verify the certificate, such as many test clients. */
export async function selfSignedCertificate(hostname: string): Promise<{ key: string; cert: string }> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' })
  const content = certificateContent(hostname, publicKey.export({ type: 'spki', format: 'der' }), Date.now())
  const signature = sign('sha256', content, privateKey)
  const cert = der.sequence(content, ECDSA_WITH_SHA256, der.bitString(signature))
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, cert: toPem(cert) }
}

/** What is signed (RFC 5280, 4.1). */
function certificateContent(hostname: string, publicKey: Uint8Array, now: number): Buffer {
  // The host name is among the alternative names, because a common name has at most 64 characters.
  const name = der.sequence(der.set(der.sequence(COMMON_NAME, der.utf8String('Mailhatch'))))
  // Valid from a day ago, because the clocks of containers and hosts differ.
  const validity = der.sequence(der.time(new Date(now - DAY_MS)), der.time(new Date(now + VALID_MS)))
  const isNoAuthority = der.sequence(BASIC_CONSTRAINTS, der.yes(), der.octetString(der.sequence()))
  const names = der.sequence(SUBJECT_ALT_NAME, der.octetString(der.sequence(...alternativeNames(hostname))))
  const extensions = der.taggedParts(3, der.sequence(isNoAuthority, names))
  const version = der.taggedParts(0, VERSION_3)
  return der.sequence(version, serialNumber(), ECDSA_WITH_SHA256, name, validity, name, publicKey, extensions)
}

function alternativeNames(hostname: string): Buffer[] {
  const address = isIPv4(hostname) ? [Buffer.from(hostname.split('.').map(Number))] : []
  // Empty for an odd text that is no host name.
  const names = new Set(['localhost', domainToASCII(isIPv4(hostname) ? '' : hostname)])
  return [
    ...[...names].filter(Boolean).map((name) => der.tagged(2, Buffer.from(name))),
    ...[IPV4_LOOPBACK, IPV6_LOOPBACK, ...address].map((bytes) => der.tagged(7, bytes)),
  ]
}

/** Clients refuse a second certificate with the same issuer and number. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  // Positive, and without leading zeros.
  bytes[0] = 0x40 | (bytes[0]! & 0x3f)
  return der.integer(bytes)
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g)!
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}
