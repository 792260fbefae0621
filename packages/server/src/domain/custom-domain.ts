const DOMAIN_LENGTH_MIN = 3
const DOMAIN_LENGTH_MAX = 255

export type CustomDomainCheck = { domain: string | null } | { message: string }

/** The domain that a team wants for itself; empty means none, which is the shared root domain. */
export function checkCustomDomain(wish: string | null, rootDomain: string): CustomDomainCheck {
  const domain = (wish ?? '').trim().toLowerCase()
  if (domain === '') return { domain: null }
  const isLengthFine = domain.length >= DOMAIN_LENGTH_MIN && domain.length <= DOMAIN_LENGTH_MAX
  // With a dot too many it would be another name for the same domain, or for none.
  const isNamed = /^[a-z0-9.-]+$/.test(domain) && domain.split('.').every((label) => label !== '')
  if (!isLengthFine || !isNamed) return { message: 'Enter a valid domain name.' }
  if (domain === rootDomain) return { message: 'Root domain is reserved for shared inbox routing.' }
  return { domain }
}
