import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Mailhatch, MessageSummary } from '@mailhatch/sdk'
import { bytesOf, type Bucket } from '../../src/bucket/bucket.ts'
import { metadataPrefix, rawKey } from '../../src/domain/object-keys.ts'
import { openForReading } from '../../src/sqlite/connection.ts'
import { decodeMetadata, type Metadata } from '../../src/worker/metadata.ts'

const KEYS_PER_PAGE = 1_000
const MESSAGES_PER_PAGE = 200

export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

export async function keysIn(bucket: Pick<Bucket, 'list'>, prefix = ''): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix, cursor, limit: KEYS_PER_PAGE })
    keys.push(...page.keys)
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  return keys
}

export async function readObject(bucket: Pick<Bucket, 'get'>, key: string): Promise<Uint8Array> {
  const object = await bucket.get(key)
  if (!object) throw new Error(`${key} is not in the bucket`)
  return bytesOf(object)
}

/** The key of the raw bytes that belong to a message. */
export function rawKeyOf({ to, mailbox, id }: MessageSummary): string {
  return rawKey({ domain: to.slice(to.lastIndexOf('@') + 1), mailbox, id })
}

/** Mail that is still to be announced, read while the program has the file open. */
export function unprocessedMail(inboxFile: string): Metadata[] {
  const connection = openForReading(inboxFile)
  try {
    const rows = connection
      .prepare('select body from objects where key >= ? and key < ?')
      .all(metadataPrefix('unprocessed'), `${metadataPrefix('unprocessed')}~`)
    return rows.map(({ body }) => decodeMetadata(body as Uint8Array))
  } finally {
    connection.close()
  }
}

/** Keys of all objects, read while the program has the file open. */
export function objectKeys(dataDir: string): string[] {
  const connection = openForReading(join(dataDir, 'inbox.db'))
  try {
    const rows = connection.prepare('select key from objects order by key').all()
    return rows.map(({ key }) => String(key))
  } finally {
    connection.close()
  }
}

/** All messages that the API lists, newest first. */
export async function listEverything(sdk: Mailhatch): Promise<MessageSummary[]> {
  const messages: MessageSummary[] = []
  for (;;) {
    const last = messages.at(-1)
    const page = await sdk.messages.list({ limit: MESSAGES_PER_PAGE, ...(last ? { after_id: last.id } : {}) })
    messages.push(...page.data)
    if (!page.has_more) return messages
  }
}
