const DOMAIN_LENGTH_MIN = 3
const DOMAIN_LENGTH_MAX = 255

export type CustomDomainCheck = { domain: string | null } | { message: string }

/** Checks the domain that a team enters. Empty means that the team uses the root domain. */
export function checkCustomDomain(input: string | null, rootDomain: string): CustomDomainCheck {
  const domain = (input ?? '').trim().toLowerCase()
  if (domain === '') return { domain: null }
  const isLengthValid = domain.length >= DOMAIN_LENGTH_MIN && domain.length <= DOMAIN_LENGTH_MAX
  // An empty label would make another name for the same domain, or an invalid one.
  const isNameValid = /^[a-z0-9.-]+$/.test(domain) && domain.split('.').every((label) => label !== '')
  if (!isLengthValid || !isNameValid) return { message: 'Enter a valid domain name.' }
  if (domain === rootDomain) return { message: 'Root domain is reserved for shared inbox routing.' }
  return { domain }
}
