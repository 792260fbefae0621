import type { Header } from '@mailhatch/sdk'

export type AuthenticationHeader = { spf: string | null; dkim: string | null; dmarc: string | null }

/**
 * The results in the first `Authentication-Results` header (RFC 8601), or null without one. They are a claim: a receiving
 * provider adds its header on top, but without such a provider the sender may have written it.
 */
export function readAuthentication(headers: Header[]): AuthenticationHeader | null {
  const value = headers.find(({ name }) => name.toLowerCase() === 'authentication-results')?.value.slice(0, LENGTH_MAX)
  if (value === undefined) return null
  return { spf: resultOf(value, SPF), dkim: resultOf(value, DKIM), dmarc: resultOf(value, DMARC) }
}

const LENGTH_MAX = 4_096
// Only results that the RFC defines are accepted; the rest of the header is untrusted.
const RESULTS = '(pass|fail|softfail|neutral|none|policy|temperror|permerror)'
const SPF = new RegExp(String.raw`\bspf=${RESULTS}\b`, 'i')
const DKIM = new RegExp(String.raw`\bdkim=${RESULTS}\b`, 'i')
const DMARC = new RegExp(String.raw`\bdmarc=${RESULTS}\b`, 'i')

function resultOf(value: string, method: RegExp): string | null {
  return method.exec(value)?.[1]?.toLowerCase() ?? null
}
