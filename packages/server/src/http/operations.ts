import type { z } from 'zod'
import type { ErrorCode } from '../domain/errors.ts'
import { MAILBOX_OPERATIONS } from './operations-mailboxes.ts'
import { MESSAGE_OPERATIONS } from './operations-messages.ts'
import { SERVER_OPERATIONS } from './operations-server.ts'
import { WEBHOOK_OPERATIONS } from './operations-webhooks.ts'

/** Who may call: everyone, who knows the webhook secret, any key that may read mail, or `api.full`. */
export type Access = 'everyone' | 'webhook secret' | 'reading key' | 'full key'

export const TAGS = [
  { name: 'Messages', description: 'Read, wait for and delete what came in.' },
  { name: 'Mailboxes', description: 'Names that mail can be sent to.' },
  { name: 'Webhooks', description: 'Addresses of yours that are told of new mail.' },
  { name: 'Keys', description: 'Who asks.' },
  { name: 'Inbound', description: 'How mail comes in.' },
  { name: 'Server', description: 'The server itself.' },
] as const

export type Tag = (typeof TAGS)[number]['name']

/** A code, and what is not as usual about it here. */
export type Refusal =
  | ErrorCode
  | { code: ErrorCode; status?: number; sentence?: string; details?: Record<string, string[]> }

export type HeaderName =
  | 'X-Request-Id'
  | 'X-RateLimit-Limit'
  | 'X-RateLimit-Remaining'
  | 'X-RateLimit-Reset'
  | 'Retry-After'
  | 'Content-Disposition'

export type Success = {
  status: number
  description: string
  contentType: string
  /** None for bytes and other things that are not JSON. */
  schema?: z.ZodType
  headers?: HeaderName[]
  example?: string
}

/** One public operation: all that the document, the reference page and the tests know of it. */
export type Operation = {
  id: string
  method: 'get' | 'post' | 'patch' | 'delete'
  path: string
  tag: Tag
  summary: string
  description: string
  access: Access
  pathParameters?: Record<string, { description: string; example: string }>
  headerParameters?: Record<string, { description: string; pattern?: string; example: string }>
  /** The schemas that the route itself validates with. */
  query?: z.ZodObject
  body?: z.ZodType
  success: [Success, ...Success[]]
  /** Beyond those that its access and its parameters imply. */
  errors: Refusal[]
  /** A query that shows what it is for. */
  exampleQuery?: string
}

export const OPERATIONS: Operation[] = [
  ...MESSAGE_OPERATIONS,
  ...MAILBOX_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...SERVER_OPERATIONS,
]
