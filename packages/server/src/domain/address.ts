// RFC 5321 section 4.5.3.1, counted in octets of the address as given.
const LOCAL_PART_OCTETS_MAX = 64
const DOMAIN_OCTETS_MAX = 255

// RFC 5321 atext, widened by RFC 6531 to everything outside ASCII.
const ATOM = /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+$/u
const QUOTED = /^"((?:[^"\\]|\\[ -~])+)"$/u
const CONTROL = /\p{Cc}/u
const NON_ASCII = /[^ -~]/u
const INTERNATIONAL_DOMAIN = /^[a-z0-9.\u{80}-\u{10ffff}-]+$/iu
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const IPV4_LITERAL = /^\[(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\]$/
const IPV6_LITERAL = /^\[ipv6:([0-9a-f:.]+)\]$/i

/** `address` keeps its case. Everything else is lower-case, and the domain is in A-labels. */
export type Recipient = {
  address: string
  domain: string
  mailbox: string
  tag: string | null
  mailboxWithTag: string
}

export function parseRecipient(address: string): Recipient | null {
  // A lone surrogate has no UTF-8 form, so it can be neither sent nor part of an object key.
  if (CONTROL.test(address) || !address.isWellFormed()) return null
  const bare = withoutAngleBrackets(address.trim())
  const at = bare.lastIndexOf('@')
  if (at < 1) return null
  const mailboxWithTag = parseLocalPart(bare.slice(0, at))
  const domain = parseDomain(bare.slice(at + 1))
  if (mailboxWithTag === null || domain === null) return null
  const { mailbox, tag } = splitLocalPart(mailboxWithTag)
  if (mailbox === '') return null
  return { address: bare, domain, mailbox, tag, mailboxWithTag }
}

/** Splits at the first `+`. A quoted local part is split inside its quotes, so that both halves are valid. */
export function splitLocalPart(localPart: string): { mailbox: string; tag: string | null } {
  const name = localPart.trim().toLowerCase()
  const content = quotedContent(name)
  const text = content ?? name
  const plus = text.indexOf('+')
  const beforePlus = plus === -1 ? text : text.slice(0, plus)
  const afterPlus = plus === -1 ? '' : text.slice(plus + 1)
  return {
    mailbox: content === null ? beforePlus.trim() : quoteUnlessPlain(beforePlus),
    tag: afterPlus.trim() || null,
  }
}

export function tenantSubdomain(domain: string, rootDomain: string): string | null {
  const name = domain.toLowerCase()
  const ending = `.${rootDomain.toLowerCase()}`
  return name.endsWith(ending) ? name.slice(0, -ending.length) || null : null
}

function withoutAngleBrackets(address: string): string {
  return address.startsWith('<') && address.endsWith('>') ? address.slice(1, -1) : address
}

function parseLocalPart(localPart: string): string | null {
  if (octets(localPart) > LOCAL_PART_OCTETS_MAX) return null
  if (isDotAtom(localPart)) return localPart.toLowerCase()
  const content = quotedContent(localPart)
  return content === null ? null : quoteUnlessPlain(content.toLowerCase())
}

function isDotAtom(text: string): boolean {
  return text.split('.').every((atom) => ATOM.test(atom))
}

function quotedContent(localPart: string): string | null {
  return QUOTED.exec(localPart)?.[1]?.replaceAll(/\\(.)/gu, '$1') ?? null
}

// RFC 5321 section 4.1.2: unnecessary quotes and backslashes do not make a different mailbox.
function quoteUnlessPlain(content: string): string {
  if (content === '' || isDotAtom(content)) return content
  return `"${content.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** The domain in lower case and A-labels. Null if it is not valid. */
export function parseDomain(domain: string): string | null {
  // The limit applies to the name as given and to its A-labels, which may be longer.
  if (octets(domain) > DOMAIN_OCTETS_MAX) return null
  if (domain.startsWith('[')) return isAddressLiteral(domain) ? domain.toLowerCase() : null
  const name = NON_ASCII.test(domain) ? toALabels(domain) : domain.toLowerCase()
  if (name === null || name.length > DOMAIN_OCTETS_MAX) return null
  return name.split('.').every((label) => DOMAIN_LABEL.test(label)) ? name : null
}

function isAddressLiteral(domain: string): boolean {
  const ipv4 = IPV4_LITERAL.exec(domain)
  if (ipv4) return ipv4.slice(1).every((part) => Number(part) <= 255)
  const ipv6 = IPV6_LITERAL.exec(domain)
  return ipv6 !== null && URL.canParse(`http://[${ipv6[1]}]`)
}

function toALabels(domain: string): string | null {
  // URL would also parse ports, paths and percent-encoding, so only characters of a name may reach it.
  if (!INTERNATIONAL_DOMAIN.test(domain)) return null
  const url = `http://${domain}`
  return URL.canParse(url) ? new URL(url).hostname : null
}

function octets(text: string): number {
  return new TextEncoder().encode(text).length
}
