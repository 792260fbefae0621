import { isIP } from 'node:net'

const DAY_MS = 24 * 60 * 60 * 1_000
// Generated at every start, so it only has to outlive the process.
const VALID_MS = 365 * DAY_MS
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** For clients that require STARTTLS but do not verify the certificate, such as many test clients. */
export async function selfSignedCertificate(hostname: string): Promise<{ key: string; cert: string }> {
  const x509 = await loadX509()
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const names = [...new Set([hostname, 'localhost', '127.0.0.1', '::1'])]
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [hostname] }],
    keys,
    signingAlgorithm: ALGORITHM,
    // Valid from a day ago, because the clocks of containers and hosts differ.
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + VALID_MS),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
    ],
  })
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { key: x509.PemConverter.encode(key, 'PRIVATE KEY'), cert: certificate.toString('pem') }
}

// Imported on demand: loading it takes longer than generating the certificate.
async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  // While it loads, its dependency container reads decorator metadata through Reflect. There is none, but the call must exist.
  const noMetadata = { getMetadata: () => undefined, getOwnMetadata: () => undefined }
  const isMissing = !('getMetadata' in Reflect)
  if (isMissing) Object.assign(Reflect, noMetadata)
  try {
    return await import('@peculiar/x509')
  } finally {
    if (isMissing) for (const name of Object.keys(noMetadata)) Reflect.deleteProperty(Reflect, name)
  }
}
