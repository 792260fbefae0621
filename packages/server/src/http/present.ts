import type {
  ApiKey,
  Mailbox,
  MessageDetail,
  MessageSummary,
  Scenario,
  SmtpAttempt,
  WebhookDelivery,
  WebhookEndpoint,
} from '@mailhatch/sdk'
import type { AttemptReport } from '../domain/attempt.ts'
import { withoutUsername } from '../domain/envelope.ts'
import { formatCursor } from '../domain/cursor.ts'
import { addressHeadersOf } from '../mime/address-headers.ts'
import type { StoredMessage, StoredSummary } from '../store/messages.ts'
import type { ApiKey as StoredKey, Mailbox as StoredMailbox } from '../store/mailboxes.ts'
import type { StoredScenario } from '../store/scenarios.ts'
import type { Delivery, Endpoint } from '../store/webhooks.ts'

export function presentSummary(row: StoredSummary): MessageSummary {
  return {
    id: row.id,
    mailboxId: row.mailboxId,
    mailbox: row.mailbox,
    mailboxWithTag: row.mailboxWithTag,
    tag: row.tag,
    from: row.from,
    fromName: row.fromName,
    to: row.to,
    subject: row.subject,
    receivedAt: isoTime(row.receivedAt),
    cursor: formatCursor(row.position),
    attachmentCount: row.attachmentCount,
    size: row.size,
  }
}

export function presentMessage(row: StoredMessage): MessageDetail {
  return {
    ...presentSummary(row),
    ...addressHeadersOf(row.headers),
    headers: row.headers,
    htmlContent: row.html,
    textContent: row.text,
    domain: row.domain,
    tenantSubdomain: row.tenantSubdomain,
    codes: row.codes,
    links: row.links,
    attachments: row.attachments,
    envelope: row.envelope && withoutUsername(row.envelope),
    timings: { receivedAt: isoTime(row.receivedAt), storedAt: isoTime(row.storedAt) },
    parse: row.parse,
  }
}

export function presentMailbox({ id, name, domain, createdAt, updatedAt }: StoredMailbox): Mailbox {
  const address = `${name}@${domain}`
  return { id, name, domain, address, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) }
}

export function presentKey(
  key: Pick<StoredKey, 'id' | 'name' | 'masked' | 'scopes' | 'mailboxName' | 'expiresAt'>,
): ApiKey {
  return {
    id: key.id,
    name: key.name,
    keyMasked: key.masked,
    scopes: key.scopes,
    mailboxName: key.mailboxName,
    expiresAt: key.expiresAt === null ? null : isoTime(key.expiresAt),
  }
}

export function presentScenario(stored: StoredScenario): Scenario {
  const { id, to, match, steps, state, createdAt, expiresAt } = stored
  return {
    id,
    to,
    match,
    steps,
    nextStep: state.step,
    timesUsed: state.timesUsed,
    mails: state.mails,
    mailsPerStep: steps.map((_, index) => state.perStep[index] ?? 0),
    createdAt: isoTime(createdAt),
    expiresAt: isoTime(expiresAt),
  }
}

export function presentAttempt({ startedAt, endedAt, ...report }: AttemptReport): SmtpAttempt {
  return { ...report, startedAt: isoTime(startedAt), endedAt: isoTime(endedAt) }
}

export function presentEndpoint(endpoint: Endpoint): WebhookEndpoint {
  const { id, url, description, secretMasked, mailbox, tag, isActive, disabledReason, createdAt, updatedAt } = endpoint
  return {
    id,
    url,
    description,
    secretMasked,
    events: ['email.received'],
    mailbox,
    tag,
    active: isActive,
    disabledReason,
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  }
}

export function presentDelivery(delivery: Delivery): WebhookDelivery {
  return {
    id: delivery.id,
    event: delivery.event,
    messageId: delivery.messageId,
    status: delivery.status,
    httpStatus: delivery.httpStatus,
    responseBody: delivery.responseBody,
    latencyMs: delivery.latencyMs,
    attempt: delivery.attempt,
    nextAttemptAt: delivery.nextAttemptAt === null ? null : isoTime(delivery.nextAttemptAt),
    error: delivery.error,
    createdAt: isoTime(delivery.createdAt),
  }
}

export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
