import type { Announcement, Envelope } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { tenantSubdomain } from '../domain/address.ts'
import { rawKey, type MetadataStatus, type StoredMessage } from '../domain/object-keys.ts'
import { uuidTime } from '../domain/uuid.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { findRecipient } from './named-recipient.ts'

/** What the worker keeps beside the raw bytes of a mail, under `messages/<status>/`. */
export type Metadata = Omit<
  Announcement,
  'event' | 'rawContent' | 'plainContent' | 'attachments' | 'size' | 'parse' | 'envelope'
> & {
  status: MetadataStatus
  rawSize: number
  rawKey: string
  attempts: number
  lastAttemptAt: string | null
  lastError: string | null
  /** The HTTP status of the last attempt; null when none was made or no answer came. */
  lastStatus: number | null
  /** Null where the metadata was lost and written anew from key and bytes. */
  envelope: Envelope | null
}

type Arrival = {
  id: string
  recipient: Recipient
  parsed: ParsedMail
  receivedAt: number
  rawSize: number
  envelope: Omit<Envelope, 'rcptTo'> | null
  rootDomain: string
}

export function newMetadata({ id, recipient, parsed, receivedAt, rawSize, envelope, rootDomain }: Arrival): Metadata {
  const { address, domain, mailbox, mailboxWithTag, tag } = recipient
  return {
    id,
    status: 'unprocessed',
    domain,
    tenantSubdomain: tenantSubdomain(domain, rootDomain),
    mailbox,
    mailboxWithTag,
    tag,
    from: parsed.from || (envelope?.mailFrom ?? ''),
    to: address,
    subject: parsed.subject,
    receivedAt: new Date(receivedAt).toISOString(),
    headers: parsed.headers,
    rawSize,
    rawKey: rawKey({ domain, mailbox, id }),
    attempts: 0,
    lastAttemptAt: null,
    lastError: null,
    lastStatus: null,
    envelope: envelope && { ...envelope, rcptTo: address },
  }
}

type Found = { message: StoredMessage; parsed: ParsedMail; rawSize: number; rootDomain: string }

/** For raw mail whose metadata is gone: what its key says, and its headers. Who sent it over which way is not known. */
export function restoredMetadata({ message, parsed, rawSize, rootDomain }: Found): Metadata {
  const { id } = message
  const recipient = findRecipient(message, parsed.headers)
  return newMetadata({ id, recipient, parsed, receivedAt: uuidTime(id), rawSize, envelope: null, rootDomain })
}

export function announcementOf(metadata: Metadata, parsed: ParsedMail): Announcement {
  const { id, domain, tenantSubdomain, mailbox, mailboxWithTag, tag, from, to, subject, receivedAt, headers } = metadata
  return {
    event: 'email.received',
    id,
    domain,
    tenantSubdomain,
    mailbox,
    mailboxWithTag,
    tag,
    from,
    to,
    subject,
    receivedAt,
    headers,
    rawContent: parsed.html ?? '',
    plainContent: parsed.plainText,
    attachments: parsed.attachments,
    size: metadata.rawSize,
    ...(metadata.envelope ? { envelope: metadata.envelope } : {}),
    parse: parsed.parse,
  }
}

const encoder = new TextEncoder()

export function encodeMetadata(metadata: Metadata): Uint8Array {
  return encoder.encode(JSON.stringify(metadata))
}

export function decodeMetadata(bytes: Uint8Array): Metadata {
  // Only this file writes these objects.
  return JSON.parse(new TextDecoder().decode(bytes)) as Metadata
}
