import { ERROR_STATUS, type ErrorCode } from '../../domain/errors.ts'
import { ACCESS } from '../routes/access.ts'
import type { DeclaredFailure, Route } from '../routes/route.ts'

/** Any request can get these errors, so the document describes them once. */
export const COMMON_ERRORS: ErrorCode[] = ['url_too_long', 'headers_too_large', 'request_timeout', 'internal']
/** Any write can get these errors in addition. */
export const COMMON_WRITE_ERRORS: ErrorCode[] = ['storage_full']

/** By the credentials that a route needs. */
const CREDENTIAL_ERRORS: Record<(typeof ACCESS)[keyof typeof ACCESS]['needs'], ErrorCode[]> = {
  nothing: [],
  'webhook secret': ['unauthorized', 'database_unavailable'],
  key: ['unauthorized', 'key_expired', 'rate_limited', 'forbidden', 'database_unavailable'],
}

export type ExplainedFailure = Explanation & { code: ErrorCode; status: number }

/** The failures of the route without the common ones. */
export function failuresOf({ access, method, query, errors }: Route): ExplainedFailure[] {
  // During overload, writes are refused. Of the reads, only waits and streams are, and their routes declare it.
  const busy: ErrorCode[] = method === 'get' ? [] : ['server_busy']
  const typos: ErrorCode[] = query ? ['unknown_parameter'] : []
  return [...CREDENTIAL_ERRORS[ACCESS[access].needs], ...busy, ...typos, ...errors].map(explain)
}

export function commonErrorsOf({ method }: Route): ErrorCode[] {
  return method === 'get' ? COMMON_ERRORS : [...COMMON_ERRORS, ...COMMON_WRITE_ERRORS]
}

export function explain(failure: DeclaredFailure): ExplainedFailure {
  const given = typeof failure === 'string' ? { code: failure } : failure
  return { status: ERROR_STATUS[given.code], ...EXPLANATIONS[given.code], ...given }
}

type Explanation = { sentence: string; when: string; details?: Record<string, string[]> }

/** The text of each failure and when it occurs. Codes are stable, texts are examples. */
const EXPLANATIONS: Record<ErrorCode, Explanation> = {
  unauthorized: { sentence: 'Unauthorized', when: 'the key or secret is missing or unknown' },
  key_expired: { sentence: 'API key expired', when: 'the key has expired' },
  invalid_credentials: { sentence: 'Email or password is wrong.', when: 'no account has this email and password' },
  address_unchecked: {
    sentence: 'Follow the link in the mail that we have sent you, then sign in.',
    when: 'the user has not confirmed their address yet',
  },
  account_exists: {
    sentence: 'This address has an account. Sign in instead.',
    when: 'an account with this address already exists',
  },
  invite_needed: {
    sentence: 'You need an invite for this address. Ask an owner of your team.',
    when: 'sign-up requires an invite',
  },
  token_invalid: {
    sentence: 'This link has expired or was used already.',
    when: 'the one-time token is unknown, used or expired',
  },
  sign_in_refused: {
    sentence: 'Signing in at the provider did not work. Please try again.',
    when: 'the provider is unreachable, refused the sign-in or sent an invalid response',
  },
  email_unverified: {
    sentence: 'The provider does not say that the email address is yours.',
    when: 'the provider has not verified the address',
  },
  forbidden: { sentence: 'Forbidden', when: 'the key’s scope or mailbox does not allow this' },
  not_found: { sentence: 'Not found', when: 'the resource does not exist, or the key may not see it' },
  message_deleted: {
    sentence: 'This message was deleted.',
    when: 'the team had the message, and it was deleted or has expired',
  },
  message_not_found: { sentence: 'Not found', when: 'the message does not exist, or the key may not see it' },
  raw_unavailable: {
    sentence: 'This server has no raw copy of the message.',
    when: 'the message is stored, but its raw mail is not',
  },
  mailbox_invalid: { sentence: 'Invalid mailbox', when: 'the name of the mailbox is not valid' },
  mailbox_reserved: { sentence: 'Mailbox name is reserved.', when: 'the name is reserved' },
  mailbox_taken: { sentence: 'Mailbox name already taken for this domain.', when: 'the name is already in use' },
  mailbox_limit: {
    sentence: 'Mailbox limit reached for this plan.',
    when: 'the team has reached the mailbox limit of its plan',
  },
  domain_taken: { sentence: 'Another team has the domain qa.example.com.', when: 'the domain belongs to another team' },
  domain_unproven: {
    sentence: 'There is no TXT record _mailhatch.qa.example.com with the value mailhatch-verify=… yet.',
    when: 'the domain’s TXT record was not found',
  },
  key_limit: {
    sentence: 'API key limit reached for this plan.',
    when: 'the team has reached the key limit of its plan',
  },
  member_limit: {
    sentence: 'Member limit reached for this plan.',
    when: 'the team has reached the member limit of its plan',
  },
  member_exists: {
    sentence: 'ada@example.com is a member of this team already.',
    when: 'the address belongs to a member',
  },
  domain_limit: {
    sentence: 'At most 100 domains can be caught. Remove one first, or start with --catch-all to catch all of them.',
    when: 'the list of caught domains is full',
  },
  last_owner: { sentence: 'A team keeps at least one owner.', when: 'the team has no other owner' },
  team_exists: { sentence: 'You already have a team.', when: 'the user already has a team' },
  invite_limit: {
    sentence: 'A team has at most 200 open invites. Delete some first.',
    when: 'the team has too many open invites',
  },
  invite_expired: { sentence: 'This invite has expired. Ask for a new one.', when: 'the invite is older than 14 days' },
  billing_unavailable: { sentence: 'Billing is not set up on this server.', when: 'no payment provider is configured' },
  cursor_not_found: {
    sentence: 'Cursor message not found. It may have been deleted.',
    when: 'the message or attempt with the id `after_id` does not exist, or the cursor `after` is newer than every message',
  },
  validation_failed: {
    sentence: 'Invalid query: limit must be a whole number from 1 to 200.',
    when: 'a value is not valid; `details` says which and why',
    details: { limit: ['must be a whole number from 1 to 200'] },
  },
  unknown_parameter: {
    sentence: 'There is no query parameter malbox. Did you mean mailbox?',
    when: 'a query parameter is probably misspelled',
    details: { malbox: ['is unknown; did you mean mailbox?'] },
  },
  payload_too_large: { sentence: 'The body is larger than 262144 bytes.', when: 'the body is too large' },
  unsupported_media_type: {
    sentence: 'Send JSON, with Content-Type: application/json.',
    when: 'the Content-Type is not JSON',
  },
  url_too_long: { sentence: 'The URL is longer than 8192 characters.', when: 'the URL is too long' },
  headers_too_large: {
    sentence: 'The headers are larger than 16384 bytes.',
    when: 'the request headers are too large',
  },
  request_timeout: { sentence: 'The request did not arrive in time.', when: 'the request did not arrive in time' },
  method_not_allowed: { sentence: 'Use GET here.', when: 'the path does not support this method' },
  too_many_waits: { sentence: 'This key already holds 20000 waits.', when: 'the key has too many waits at once' },
  too_many_streams: {
    sentence: 'This key already has 1000 streams open.',
    when: 'the key has too many streams at once',
  },
  scenario_too_large: {
    sentence: 'A scenario has at most 50 steps.',
    when: 'the scenario has too many steps, or too long a delay',
  },
  scenario_unsupported: {
    sentence:
      "Step 1 is not possible with mail that comes through Cloudflare, only `accept`, and `reject` with a code from 500 on and `at: 'after-data'`.",
    when: 'what receives the mail cannot do a step (`INBOX_WORKER`)',
  },
  scenario_limit: {
    sentence: 'A team has at most 1000 scenarios. Delete some, or let them end sooner.',
    when: 'the team has too many scenarios',
  },
  server_busy: {
    sentence: 'The server is overloaded. Please retry.',
    when: 'the server is overloaded or has too many streams',
  },
  rate_limited: {
    sentence: 'Rate limit exceeded. Please slow down.',
    when: 'the team has sent too many requests in this minute',
  },
  inbox_domain_unknown: { sentence: 'Inbox domain not configured', when: 'no team owns the domain' },
  mailbox_unknown: { sentence: 'Mailbox not configured', when: 'the root domain has no such mailbox' },
  received_at_invalid: { sentence: 'Invalid receivedAt', when: '`receivedAt` is not a valid time' },
  storage_full: { sentence: 'The server is out of disk space.', when: 'the server’s disk is full' },
  webhook_url_insecure: { sentence: 'Webhook URL must use HTTPS.', when: 'the URL is not https' },
  webhook_url_private: {
    sentence: 'Webhook URL must not point to a private address.',
    when: 'the URL points to an address or host that is not public',
  },
  webhook_exists: {
    sentence: 'The team has a webhook endpoint with this URL already.',
    when: 'the team already has an endpoint with this URL',
  },
  webhook_limit: {
    sentence: 'A team has at most 20 webhook endpoints. Delete one first.',
    when: 'the team has reached the endpoint limit',
  },
  webhooks_unavailable: {
    sentence: 'Webhooks are not available on your current plan.',
    when: 'the team’s plan does not include webhooks',
  },
  endpoint_inactive: {
    sentence: 'The endpoint is disabled. Enable it first.',
    when: 'the endpoint is disabled',
  },
  webhook_not_configured: { sentence: 'Webhook not configured', when: 'the worker has no API to announce mail to' },
  already_processed: { sentence: 'Already processed', when: 'the API has already stored the mail' },
  announcement_failed: {
    sentence: 'The API did not accept the message: 404 Not found',
    when: 'the API did not accept the mail',
  },
  provider_failed: {
    sentence: 'Cloudflare refused: Authentication error',
    when: 'the provider refused the request or is unreachable',
  },
  not_configured: { sentence: 'The worker lacks settings: EMAIL_DOMAIN.', when: 'settings of the worker are missing' },
  worker_unreachable: {
    sentence: 'The inbox worker, which keeps the raw mail, cannot be reached.',
    when: 'the worker, which stores the raw mail, does not respond correctly',
  },
  database_unavailable: {
    sentence: 'The database is unreachable. Please retry.',
    when: 'the database is unreachable or does not respond in time',
  },
  storage_unavailable: {
    sentence: 'The mail storage cannot be reached. Please retry.',
    when: 'the storage of the raw mail does not respond',
  },
  shutting_down: { sentence: 'The server is restarting. Please retry.', when: 'the server is restarting' },
  internal: { sentence: 'Something went wrong on our side.', when: 'an unexpected error occurred in the server' },
}
