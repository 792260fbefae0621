// Every refusal that a client can get. Codes are stable API. docs/errors.md explains them.
export const ERROR_STATUS = {
  unauthorized: 401,
  key_expired: 401,
  invalid_credentials: 401,
  address_unchecked: 403,
  account_exists: 409,
  invite_needed: 403,
  token_invalid: 400,
  sign_in_refused: 401,
  email_unverified: 403,
  forbidden: 403,
  not_found: 404,
  message_not_found: 404,
  message_deleted: 404,
  raw_unavailable: 404,
  mailbox_invalid: 400,
  mailbox_reserved: 400,
  mailbox_taken: 409,
  mailbox_limit: 403,
  domain_taken: 409,
  domain_unproven: 409,
  domain_limit: 403,
  key_limit: 403,
  member_limit: 403,
  member_exists: 409,
  last_owner: 409,
  team_exists: 409,
  invite_limit: 403,
  invite_expired: 403,
  billing_unavailable: 403,
  cursor_not_found: 400,
  validation_failed: 400,
  unknown_parameter: 400,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  url_too_long: 414,
  headers_too_large: 431,
  request_timeout: 408,
  method_not_allowed: 405,
  too_many_waits: 429,
  too_many_streams: 429,
  scenario_limit: 429,
  scenario_too_large: 422,
  scenario_unsupported: 422,
  inbox_domain_unknown: 404,
  mailbox_unknown: 404,
  received_at_invalid: 422,
  storage_full: 507,
  webhook_url_insecure: 400,
  webhook_url_private: 400,
  webhook_exists: 409,
  webhook_limit: 403,
  webhooks_unavailable: 403,
  endpoint_inactive: 409,
  webhook_not_configured: 409,
  already_processed: 409,
  announcement_failed: 502,
  provider_failed: 502,
  not_configured: 500,
  worker_unreachable: 502,
  shutting_down: 503,
  server_busy: 503,
  database_unavailable: 503,
  storage_unavailable: 503,
  internal: 500,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

export type ErrorDetails = Record<string, string[]>

export class AppError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails | undefined
  readonly headers: Record<string, string>
  /** More keys for the body of the response. */
  readonly extra: object

  constructor(
    code: ErrorCode,
    message: string,
    options: { status?: number; details?: ErrorDetails; headers?: Record<string, string>; extra?: object } = {},
  ) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.status = options.status ?? ERROR_STATUS[code]
    this.details = options.details
    this.headers = options.headers ?? {}
    this.extra = options.extra ?? {}
  }
}

/** For conditions that end within seconds. */
export const RETRY_SOON = { headers: { 'retry-after': '1' } }
