import { open } from 'node:fs/promises'
import { HEADER_BLOCK_BYTES_MAX } from './limits.ts'
import {
  parseHeadOnly,
  parseMail,
  readAttachment,
  type AttachmentContent,
  type AttachmentSelector,
  type ParsedMail,
} from './parse-mail.ts'
import { createParsePool, type PoolOptions } from './parse-pool.ts'

/** In memory when small; large mail lies in a spool file. */
export type MailContent = Uint8Array | { path: string; size: number }

export type MailParser = {
  parse(content: MailContent): Promise<ParsedMail>
  /** One attachment, decoded; null when there is no such one, or when the mail is too odd to find it. Keeps `raw`. */
  attachment(raw: Uint8Array, selector: AttachmentSelector): Promise<AttachmentContent | null>
  /** Waits for what is being parsed, then ends the threads. */
  close(): Promise<void>
}

// Ordinary mail of this size takes 0.4 ms and the worst that we could think of 10 ms; by way of a thread 0.7 ms.
const DIRECT_BYTES_MAX = 128 * 1024

/**
 * Parses small mail at once and the rest in threads, so that no mail can hold up the program. Calls beyond the number
 * of threads wait in order. The queue needs no limit of its own: every caller waits with one mail that it holds
 * anyway, so there are never more than there are connections.
 */
export function createMailParser(options: PoolOptions = {}): MailParser {
  const pool = createParsePool(options)
  return {
    async parse(content) {
      if (content instanceof Uint8Array && content.byteLength <= DIRECT_BYTES_MAX) return parseMail(content)
      const parsed = await pool.parse(content instanceof Uint8Array ? { content } : { path: content.path })
      // The thread died of this mail. Reading headers is bounded in every respect, so it can be done here.
      return parsed ?? parseHeadOnly(await readStart(content))
    },
    async attachment(raw, selector) {
      if (raw.byteLength <= DIRECT_BYTES_MAX) return readAttachment(raw, selector)
      return pool.attachment(raw, selector)
    },
    close: () => pool.close(),
  }
}

async function readStart(content: MailContent): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content
  await using file = await open(content.path)
  const { buffer, bytesRead } = await file.read(new Uint8Array(HEADER_BLOCK_BYTES_MAX), 0, HEADER_BLOCK_BYTES_MAX, 0)
  return buffer.subarray(0, bytesRead)
}
