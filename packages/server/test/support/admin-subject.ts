import { expect } from 'vitest'

/** A running worker. `deliver` sends one mail to it and resolves when it was accepted. */
export type AdminSubject = {
  url: string
  deliver(to: string, raw: string): Promise<void>
  close(): Promise<void>
}

/** Starts a worker with these settings, named as on both runtimes. */
export type StartAdmin = (settings: Record<string, string>) => Promise<AdminSubject>

export const ADMIN_TOKEN = 'admin-token-of-the-tests'
export const EMAIL_DOMAIN = 'in.test'

export type AdminAnswer<Body> = { status: number; headers: Headers; body: Body }

export type AdminQuestion = {
  method?: string
  token?: string | null
  headers?: Record<string, string>
  /** An object is sent as JSON. */
  body?: string | object
}

/** One request. The response is JSON, has an id, and has the common shape if it is a failure. */
export async function askAdmin<Body = Record<string, unknown>>(
  url: string,
  { method = 'GET', token = ADMIN_TOKEN, headers = {}, body }: AdminQuestion = {},
): Promise<AdminAnswer<Body>> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(typeof body === 'object' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
  })
  expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  const requestId = response.headers.get('x-request-id')
  expect(requestId).toMatch(/^[\w-]{8,}$/)
  const answer: unknown = await response.json()
  if (!response.ok) {
    expect(answer).toMatchObject({ error: expect.any(String), code: expect.stringMatching(/^[a-z_]+$/), requestId })
  }
  // The test checks the shape.
  return { status: response.status, headers: response.headers, body: answer as Body }
}

export type ListedMessage = {
  id: string
  status: string
  subject: string
  tag: string | null
  mailbox: string
  domain: string
  receivedAt: string
  attempts: number
  lastError: string | null
  emlUrl: string
}
export type MessageList = { messages: ListedMessage[]; status?: string; cursor?: string }
export type MailboxList = { mailboxes: string[]; status: string | null; cursor?: string }

export function rawMail(subject: string, text = 'Hello\r\n'): string {
  // The local email trigger of workerd accepts only mail with a Message-ID.
  const head = `From: Shop <shop@shop.example>\r\nSubject: ${subject}\r\nMessage-ID: <1@shop.example>\r\n`
  return `${head}X-Twice: 1\r\nX-Twice: 2\r\n\r\n${text}`
}
