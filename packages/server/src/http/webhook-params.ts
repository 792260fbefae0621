import { z } from 'zod'
import { acceptUrl, type EndpointInput, type UrlPorts } from '../manage/endpoints.ts'
import { BLANKS, isAtMost, trimmedPattern } from '../domain/text-patterns.ts'
import type { DeliveryStatus, EndpointChange } from '../store/webhooks.ts'
import { linePattern, WEBHOOK_URL_PATTERN } from './value-patterns.ts'

const DESCRIPTION_CHARACTERS_MAX = 200
/** RFC 5321: the longest local part of an address. */
const LOCAL_PART_MAX = 64
const LIMIT_MAX = 100
const LIMIT_DEFAULT = 50
/** Deliveries are kept for a month, so no list needs a larger offset. */
const OFFSET_MAX = 1_000_000

const url = z.string().trim().meta({
  description: 'Where events are posted: an https URL that is not a private address. The operator may allow more.',
  pattern: WEBHOOK_URL_PATTERN,
  maxLength: 2_048,
  example: 'https://shop.example/hooks/mail',
})
const description = z
  .string()
  .trim()
  .refine(
    (text) => isAtMost(text, DESCRIPTION_CHARACTERS_MAX),
    `must have at most ${DESCRIPTION_CHARACTERS_MAX} characters`,
  )
  .refine(isPlainText, 'must not contain control characters')
  .meta({ pattern: linePattern(DESCRIPTION_CHARACTERS_MAX) })
  .nullable()
  .optional()
  .meta({
    description: 'What the endpoint is for. Empty text counts as none.',
    example: 'Order mail of the staging shop',
  })

/** Names in lower case, as intake stores them. A name that no mail can have would never match. */
function nameOf(excluded: string, expectation: string) {
  const name = `[^${BLANKS}${excluded}]{0,${LOCAL_PART_MAX}}`
  const characters = new RegExp(`^[^\\s${excluded}]*$`)
  return z
    .string()
    .trim()
    .refine((text) => isAtMost(text, LOCAL_PART_MAX), `must have at most ${LOCAL_PART_MAX} characters`)
    .refine((text) => characters.test(text), expectation)
    .toLowerCase()
    .meta({ pattern: trimmedPattern(name) })
    .nullable()
    .optional()
}

/** Body of `POST /v1/webhooks`. */
export const endpointBody = z
  .object({
    url,
    description,
    mailbox: nameOf('@+', 'must be the name of a mailbox, without tag and domain').meta({
      description: 'Only mail for the mailbox with this name. By default, mail for all mailboxes.',
      example: 'orders',
    }),
    tag: nameOf('@', 'must be a tag, without mailbox and domain').meta({
      description: 'Only mail with this tag. By default, mail with any tag or none.',
      example: '42',
    }),
  })
  .meta({ id: 'NewWebhookEndpoint' })

/** Body of `PATCH /v1/webhooks/:id`. */
export const endpointChangeBody = z
  .object({
    active: z.boolean().optional().meta({ description: 'Whether the endpoint receives events.', example: true }),
    url: url.optional(),
    description,
  })
  .meta({ id: 'WebhookEndpointChange' })

/** Query parameters of `GET /v1/webhooks/:id/deliveries`. */
export const deliveriesQuery = z.object({
  limit: wholeNumber({ min: 1, max: LIMIT_MAX }).meta({
    description: `How many results to return, ${LIMIT_DEFAULT} by default.`,
    type: 'integer',
    minimum: 1,
    maximum: LIMIT_MAX,
    example: 20,
  }),
  offset: wholeNumber({ min: 0, max: OFFSET_MAX }).meta({
    description: 'How many of the newest deliveries to skip.',
    type: 'integer',
    minimum: 0,
    maximum: OFFSET_MAX,
    example: 0,
  }),
  status: z
    .enum(['pending', 'success', 'failed'], 'must be pending, success or failed')
    .optional()
    .meta({ description: 'Only deliveries with this status.', example: 'failed' }),
})

/** Query parameters of `POST /v1/webhooks/:id/deliveries/replay`. */
export const replayQuery = z.object({
  status: z.enum(['failed'], 'must be failed').optional().meta({
    description: 'Which deliveries to replay. Only `failed` is supported.',
    example: 'failed',
  }),
})

export function toEndpointInput(ports: UrlPorts, body: z.output<typeof endpointBody>): EndpointInput {
  const { url, description, mailbox, tag } = body
  const filters = { mailbox: mailbox || null, tag: tag || null }
  return { url: acceptUrl(ports, url), description: description || null, ...filters }
}

export function toChange(
  ports: UrlPorts,
  { active, url, description }: z.output<typeof endpointChangeBody>,
): EndpointChange {
  return {
    ...(active === undefined ? {} : { isActive: active }),
    ...(url === undefined ? {} : { url: acceptUrl(ports, url) }),
    ...(description === undefined ? {} : { description: description || null }),
  }
}

export function toDeliveriesParams(given: z.output<typeof deliveriesQuery>): {
  limit: number
  offset: number
  status: DeliveryStatus | null
} {
  const { limit = LIMIT_DEFAULT, offset = 0, status = null } = given
  return { limit, offset, status }
}

function wholeNumber({ min, max }: { min: number; max: number }) {
  return z
    .string()
    .refine((text) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number)
    .optional()
}

function isPlainText(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- controls are what it refuses
  return text.isWellFormed() && !/[\x00-\x1f\x7f]/.test(text)
}
