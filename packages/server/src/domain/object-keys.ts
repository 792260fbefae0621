export const RAW_PREFIX = 'raw/'

const RAW_KEY = /^raw\/([^/]+)\/([^/]+)\/([^/]+)\.eml$/
const METADATA_KEY = /^messages\/([a-z]+)\/([^/]+)\/([^/]+)\/([^/]+)\.json$/

export type MetadataStatus = 'unprocessed' | 'processed'

/** What names the stored objects of one message. */
export type MessageLocation = { domain: string; mailbox: string; id: string }

export function rawKey({ domain, mailbox, id }: MessageLocation): string {
  return `raw/${encodeName(domain)}/${encodeName(mailbox)}/${encodeName(id)}.eml`
}

export function metadataKey(status: MetadataStatus, { domain, mailbox, id }: MessageLocation): string {
  return `messages/${status}/${encodeName(domain)}/${encodeName(mailbox)}/${encodeName(id)}.json`
}

/** The beginning shared by the metadata keys of a status, of a domain in it, or of a mailbox in that. */
export function metadataPrefix(status: MetadataStatus, domain?: string, mailbox?: string): string {
  const names = domain === undefined ? [] : mailbox === undefined ? [domain] : [domain, mailbox]
  return ['messages', status, ...names.map(encodeName), ''].join('/')
}

/** What an object storage says of the object to whoever looks at it. */
export function contentTypeOf(key: string): string {
  return key.endsWith('.eml') ? 'message/rfc822' : 'application/json'
}

export function parseMetadataKey(key: string): ({ status: MetadataStatus } & MessageLocation) | null {
  const [, status, ...names] = METADATA_KEY.exec(key) ?? []
  const [domain, mailbox, id] = names.map(decodeName)
  if ((status !== 'unprocessed' && status !== 'processed') || !domain || !mailbox || !id) return null
  // Another spelling of the same names is not a key of ours, and would not be found under its own names again.
  return metadataKey(status, { domain, mailbox, id }) === key ? { status, domain, mailbox, id } : null
}

export function parseRawKey(key: string): MessageLocation | null {
  const [, ...names] = RAW_KEY.exec(key) ?? []
  const [domain, mailbox, id] = names.map(decodeName)
  if (!domain || !mailbox || !id) return null
  return rawKey({ domain, mailbox, id }) === key ? { domain, mailbox, id } : null
}

// Reversible, one segment per name, and nothing that a file system or a URL would read as more than text.
function encodeName(name: string): string {
  // Nearly all names.
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
