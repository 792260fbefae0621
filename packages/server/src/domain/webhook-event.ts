import type { WebhookEvent } from '@mailhatch/sdk'
import { cutText } from './cut-text.ts'

/** Receivers usually accept more, but the sender of a mail must not control how much we send. */
export const EVENT_BYTES_MAX = 20_000

/** Real addresses have at most 320 characters, real subjects a few hundred. In JSON, each may become six bytes. */
const ADDRESS_LENGTH_MAX = 512
const SUBJECT_LENGTH_MAX = 1_000

type EventMessage = Omit<WebhookEvent['data'], 'receivedAt'> & { receivedAt: number }

/** The exact body of a delivery. It is created once, when the message is stored at `at`. */
export function webhookEventBody(message: EventMessage, at: number): string {
  const body = write(message, at)
  if (new TextEncoder().encode(body).length <= EVENT_BYTES_MAX) return body
  const { tag, from, to, subject } = message
  return write(
    {
      ...message,
      tag: tag === null ? null : cutText(tag, ADDRESS_LENGTH_MAX),
      from: cutText(from, ADDRESS_LENGTH_MAX),
      to: cutText(to, ADDRESS_LENGTH_MAX),
      subject: cutText(subject, SUBJECT_LENGTH_MAX),
    },
    at,
  )
}

function write({ id, mailbox, mailboxWithTag, tag, from, to, subject, receivedAt, domain }: EventMessage, at: number) {
  const data = { id, mailbox, mailboxWithTag, tag, from, to, subject, receivedAt: isoTime(receivedAt), domain }
  const event: WebhookEvent = { event: 'email.received', timestamp: isoTime(at), data }
  return JSON.stringify(event)
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
