/** Why there was no response, as a sentence for the owner of the endpoint. Reveals nothing about our network. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure'
}

const SENTENCES: Record<string, string> = {
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no address.',
  ESERVFAIL: 'The host name could not be resolved.',
  ETIMEOUT: 'The host name could not be resolved in time.',
  EAI_AGAIN: 'The host name could not be resolved.',
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response was received.',
  EPIPE: 'The connection was closed before a response was received.',
  ETIMEDOUT: 'The host could not be reached in time.',
  EHOSTUNREACH: 'The host could not be reached.',
  ENETUNREACH: 'The host could not be reached.',
  EADDRNOTAVAIL: 'The host could not be reached.',
  HPE_HEADER_OVERFLOW: 'The response headers are too large.',
}

export function failureSentence(error: unknown): string {
  if (error instanceof RequestFailure) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = SENTENCES[code]
  if (known !== undefined) return known
  if (code.startsWith('HPE_')) return 'The response is not valid HTTP.'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'The TLS handshake failed.'
  // OpenSSL's names, such as CERT_HAS_EXPIRED or DEPTH_ZERO_SELF_SIGNED_CERT, say what is wrong.
  if (/CERT|SIGNATURE|ISSUER/.test(code)) return `The TLS certificate is not valid (${code}).`
  return 'The request could not be sent.'
}
