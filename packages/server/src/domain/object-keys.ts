export const RAW_PREFIX = 'raw/'

const RAW_KEY = /^raw\/([^/]+)\/([^/]+)\/([^/]+)\.eml$/
const METADATA_KEY = /^messages\/([a-z]+)\/([^/]+)\/([^/]+)\/([^/]+)\.json$/

export type MetadataStatus = 'unprocessed' | 'processed'

/** Identifies the stored objects of one message. */
export type MessageLocation = { domain: string; mailbox: string; id: string }

export function rawKey({ domain, mailbox, id }: MessageLocation): string {
  return `raw/${encodeName(domain)}/${encodeName(mailbox)}/${encodeName(id)}.eml`
}

export function metadataKey(status: MetadataStatus, { domain, mailbox, id }: MessageLocation): string {
  return `messages/${status}/${encodeName(domain)}/${encodeName(mailbox)}/${encodeName(id)}.json`
}

/** The common prefix of the metadata keys of a status, a domain or a mailbox. */
export function metadataPrefix(status: MetadataStatus, domain?: string, mailbox?: string): string {
  const names = domain === undefined ? [] : mailbox === undefined ? [domain] : [domain, mailbox]
  return ['messages', status, ...names.map(encodeName), ''].join('/')
}

/** The content type of the object in the storage. */
export function contentTypeOf(key: string): string {
  return key.endsWith('.eml') ? 'message/rfc822' : 'application/json'
}

export function parseMetadataKey(key: string): ({ status: MetadataStatus } & MessageLocation) | null {
  const [, status, ...names] = METADATA_KEY.exec(key) ?? []
  const [domain, mailbox, id] = names.map(decodeName)
  if ((status !== 'unprocessed' && status !== 'processed') || !domain || !mailbox || !id) return null
  // A different encoding of the same names is not one of our keys and could not be found again.
  return metadataKey(status, { domain, mailbox, id }) === key ? { status, domain, mailbox, id } : null
}

export function parseRawKey(key: string): MessageLocation | null {
  const [, ...names] = RAW_KEY.exec(key) ?? []
  const [domain, mailbox, id] = names.map(decodeName)
  if (!domain || !mailbox || !id) return null
  return rawKey({ domain, mailbox, id }) === key ? { domain, mailbox, id } : null
}

// Reversible, one path segment per name, and without characters that are special in file systems or URLs.
function encodeName(name: string): string {
  // Fast path for nearly all names.
  if (/^[\w-]+(?:\.[\w-]+)*$/.test(name)) return name
  if (/^\.+$/.test(name)) return name.replaceAll('.', '%2E')
  return encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function decodeName(name: string): string | null {
  try {
    return decodeURIComponent(name)
  } catch {
    return null
  }
}
