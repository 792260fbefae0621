import { randomUUID } from 'node:crypto'
import type { Announcement, ErrorBody } from '@mailhatch/sdk'
import { expect } from 'vitest'
import { ask, type Answer } from './ask.ts'
import { WEBHOOK_SECRET } from './server.ts'

type IntakeBody = { ok: true; status: 'stored' | 'duplicate'; inboxMessageId: string }

/** What a worker posts for a short mail. Pass the fields that matter to the test. */
export function announcement(changes: Partial<Announcement> = {}): Announcement {
  const { mailbox = 'orders', tag = null, domain = 'mailhatch.test' } = changes
  const mailboxWithTag = changes.mailboxWithTag ?? (tag === null ? mailbox : `${mailbox}+${tag}`)
  return {
    event: 'email.received',
    id: randomUUID(),
    domain,
    tenantSubdomain: null,
    mailbox,
    mailboxWithTag,
    tag,
    from: 'sender@shop.example',
    to: `${mailboxWithTag}@${domain}`,
    subject: 'Hello',
    receivedAt: new Date().toISOString(),
    headers: [],
    rawContent: '<p>Hello</p>',
    plainContent: 'Hello',
    ...changes,
  }
}

/** Posts any value to the intake, as the worker would. */
export function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${WEBHOOK_SECRET}` },
): Promise<Answer<IntakeBody & ErrorBody>> {
  return ask(`${url}/webhooks/inbox`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** Announces a message and checks that it is stored. Returns what was sent. */
export async function store(url: string, changes: Partial<Announcement> = {}): Promise<Announcement> {
  const sent = announcement(changes)
  const { status, body } = await post(url, sent)
  expect(body).toEqual({ ok: true, status: 'stored', inboxMessageId: sent.id })
  expect(status).toBe(200)
  return sent
}

/** Stores `count` messages with the subjects `<name> 1` and so on, one after the other. */
export async function storeMany(
  url: string,
  count: number,
  change: (number: number) => Partial<Announcement>,
): Promise<Announcement[]> {
  const sent: Announcement[] = []
  for (let number = 1; number <= count; number += 1) sent.push(await store(url, change(number)))
  return sent
}
