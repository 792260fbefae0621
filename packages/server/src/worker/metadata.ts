import type { Announcement } from '@mailhatch/sdk'
import type { Recipient } from '../domain/address.ts'
import { tenantSubdomain } from '../domain/address.ts'
import { rawKey, type MetadataStatus, type MessageLocation } from '../domain/object-keys.ts'
import type { NamedEnvelope } from '../domain/envelope.ts'
import type { AnnouncementRefusal } from '../domain/retry.ts'
import type { StartedAttempt } from '../domain/set-aside.ts'
import { uuidTime } from '../domain/uuid.ts'
import type { ParsedMail } from '../mime/parse-mail.ts'
import { codeIn } from './announce.ts'
import { findRecipient } from './named-recipient.ts'

/** What the worker stores next to the raw bytes of a mail, under `messages/<status>/`. */
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
  /** HTTP status of the last attempt; null before the first one or when there was no response. */
  lastStatus: number | null
  /** Error code of our API in that response. */
  lastCode: string | null
  /** Failures that this mail itself probably caused. */
  ownFailures: number
  /** An attempt that was recorded as started; null once it has ended. */
  trying: StartedAttempt | null
  /** Set when the mail is no longer announced automatically; `isReported` once the API knows about it. */
  setAside: { at: string; reason: string; isReported: boolean } | null
  /** Null where the metadata was lost and rebuilt from the object key and the raw bytes. */
  envelope: NamedEnvelope | null
}

const NO_FAILURES = { lastCode: null, ownFailures: 0, trying: null, setAside: null }

type Arrival = {
  id: string
  recipient: Recipient
  parsed: ParsedMail
  receivedAt: number
  rawSize: number
  envelope: Omit<NamedEnvelope, 'rcptTo'> | null
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
    ...NO_FAILURES,
    envelope: envelope && { ...envelope, rcptTo: address },
  }
}

type RawMail = { message: MessageLocation; parsed: ParsedMail; rawSize: number; rootDomain: string }

/** For raw mail whose metadata is lost: what the key and the headers say. The SMTP envelope is unknown. */
export function restoredMetadata({ message, parsed, rawSize, rootDomain }: RawMail): Metadata {
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
  const metadata = JSON.parse(new TextDecoder().decode(bytes)) as Metadata
  if (metadata.lastCode !== undefined) return metadata
  // Written by an earlier version, which stored the response only as text.
  const response = metadata.lastError?.slice(`${metadata.lastStatus} `.length) ?? ''
  return { ...metadata, ...NO_FAILURES, lastCode: codeIn(response) }
}

export function refusalOf({ lastStatus, lastCode }: Metadata): AnnouncementRefusal {
  return { status: lastStatus, code: lastCode }
}
