import { createHash } from 'node:crypto'
import { NotFoundError, type Mailhatch } from '@mailhatch/sdk'

const PAGE_MAX = 200
const OTHER_LINE_END = /\r(?!\n)|(?<!\r)\n/

/** `id` is that of the exported message; null for mail from elsewhere. */
type ImportedMail = { id: string | null; to: string; raw: Uint8Array }

export type KnownMail = {
  /** True if this is an export of a message that the server still has. */
  hasExported(mail: Pick<ImportedMail, 'id' | 'raw'>): boolean
  /** True if the server has the same mail for the same recipient, or if it was checked before. */
  has(mail: ImportedMail): Promise<boolean>
}

/**
 * Reads which mail the server has now. Mail is the same if its bytes are the same, apart from line ends: it may lack any
 * header, and different mail may have the same Message-ID.
 */
export async function findKnownMail({ messages }: Pick<Mailhatch, 'messages'>): Promise<KnownMail> {
  const sizes = new Map<string, number | null>()
  // Most mail is new. Only messages with the same recipient and size are downloaded.
  const ids = new Map<string, string[]>()
  for await (const { id, to, size } of messages.list({ limit: PAGE_MAX })) {
    sizes.set(id, size)
    const place = placeKey(to, size)
    const there = ids.get(place)
    if (there) there.push(id)
    else ids.set(place, [id])
  }
  const digests = new Map<string, Promise<string | null>>()
  const checked = new Set<string>()

  function storedDigest(id: string): Promise<string | null> {
    const digest = digests.get(id) ?? messages.raw(id).then(digestOf, nullIfGone)
    digests.set(id, digest)
    return digest
  }

  return {
    hasExported({ id, raw }) {
      const size = id === null ? undefined : sizes.get(id)
      // The size is null for messages that were announced without it.
      return size === null || size === raw.byteLength
    },

    async has({ id, to, raw }) {
      const digest = digestOf(raw)
      // Exported messages are separate ones, even if they are equal.
      const key = `${id ?? ''} ${to.toLowerCase()} ${digest}`
      if (checked.has(key)) return true
      checked.add(key)
      const places = [raw.byteLength, withCrlf(raw).byteLength, null].map((size) => placeKey(to, size))
      const candidates = new Set(places.flatMap((place) => ids.get(place) ?? []))
      for (const candidate of candidates) if ((await storedDigest(candidate)) === digest) return true
      return false
    },
  }
}

/** With CRLF line ends and one at the end, as it is sent by SMTP. */
export function withCrlf(raw: Uint8Array): Uint8Array {
  // Latin-1 preserves every byte.
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('latin1')
  if (text.endsWith('\r\n') && !OTHER_LINE_END.test(text)) return raw
  const changed = text.replaceAll(/\r\n|\r|\n/g, '\r\n')
  return Buffer.from(changed.endsWith('\r\n') ? changed : `${changed}\r\n`, 'latin1')
}

function placeKey(to: string, size: number | null): string {
  return `${to.toLowerCase()} ${size}`
}

function digestOf(raw: Uint8Array): string {
  return createHash('sha256').update(withCrlf(raw)).digest('base64')
}

function nullIfGone(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}
